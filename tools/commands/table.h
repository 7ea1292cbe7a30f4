// Aligned columns for people.
//
//   Table table({"name", "size"});
//   table.Add({"w", "12"});
//   std::fputs(table.ToString().c_str(), stdout);
#pragma once

#include <string>
#include <vector>

namespace headrace::tools {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  // Numbers read better on the right: columns named here are right-aligned.
  void AlignRight(size_t column) { right_.push_back(column); }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  size_t rows() const { return rows_.size() - 1; }
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

}  // namespace headrace::tools
