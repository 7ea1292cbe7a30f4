#!/usr/bin/env python3
"""B3 with JAX on the CPU. Variants: `jit`, one compiled step a call with donated weights; `scan`, ten steps a call."""
import os

import b3_common as b3

args = b3.arguments(["jit", "scan"])
os.environ["JAX_PLATFORMS"] = "cpu"
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])  # XLA takes its threads from here

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

STEPS = 10


def loss_of(weights, images, labels):
    w1, b1, w2, b2 = weights
    logits = jax.nn.relu(images @ w1 + b1) @ w2 + b2
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -picked.mean() + b3.PENALTY * 0.5 * ((w1 * w1).sum() + (w2 * w2).sum())


def step(weights, images, labels):
    loss, gradients = jax.value_and_grad(loss_of)(weights, images, labels)
    return [w - b3.RATE * g for w, g in zip(weights, gradients)], loss


def steps(weights, images, labels):
    return jax.lax.scan(lambda w, _: step(w, images, labels), weights, None, length=STEPS)


compiled = jax.jit(step if args.variant == "jit" else steps, donate_argnums=0)
state = [jnp.asarray(w) for w in b3.weights()]
images, labels = (jnp.asarray(x) for x in b3.batch(args.batch))


def call():
    global state
    state, loss = compiled(state, images, labels)
    return jax.device_get(loss)


b3.report(f"JAX {jax.__version__}", args, call, STEPS if args.variant == "scan" else 1)
