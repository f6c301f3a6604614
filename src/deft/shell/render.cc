#include "deft/shell/render.h"

#include <variant>

namespace deft::shell {
namespace {

class TreePrinter {
 public:
  std::string take() { return std::move(out_); }

  void print(const List& list, int depth) {
    for (const AndOr& item : list.items) print(item, depth);
  }

 private:
  void line(int depth, const std::string& text) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    for (const char c : text) {
      if (c == '\n') {
        out_ += "⏎";
      } else {
        out_ += c;
      }
    }
    out_ += '\n';
  }

  void print(const AndOr& item, int depth) {
    for (std::size_t i = 0; i < item.pipelines.size(); ++i) {
      if (i > 0) line(depth, item.joined_by_or[i - 1] ? "or" : "and");
      print(item.pipelines[i], depth);
    }
    if (item.background) line(depth, "in the background");
  }

  void print(const Pipeline& pipeline, int depth) {
    if (pipeline.timed) line(depth, "time");
    if (pipeline.negated) line(depth, "not");
    const bool is_pipe = pipeline.commands.size() > 1;
    if (is_pipe) line(depth, "pipeline");
    for (const Command& command : pipeline.commands) print(command, depth + (is_pipe ? 1 : 0));
  }

  void print(const Command& command, int depth) {
    std::visit([&](const auto& what) { print_what(what, depth); }, command.what);
    for (const Redirection& redirection : command.redirections) print(redirection, depth + 1);
  }

  void print_what(const SimpleCommand& command, int depth) {
    std::string text;
    for (const Assignment& assignment : command.assignments) {
      text += assignment.name + (assignment.appends ? "+=" : "=") +
              (assignment.is_array ? "(…)" : assignment.value.source) + " ";
    }
    for (const Word& word : command.words) text += word.source + " ";
    if (text.empty()) text = "redirections ";
    text.pop_back();
    line(depth, text);
    for (const Assignment& assignment : command.assignments) {
      print_inside(assignment.value, depth + 1);
      for (const Word& element : assignment.elements) print_inside(element, depth + 1);
    }
    for (const Word& word : command.words) print_inside(word, depth + 1);
  }
  void print_what(const Subshell& command, int depth) { block("subshell", command.body, depth); }
  void print_what(const Group& command, int depth) { block("group", command.body, depth); }
  void print_what(const If& command, int depth) {
    for (const If::Branch& branch : command.branches) {
      block("if", branch.condition, depth);
      block("then", branch.body, depth);
    }
    if (command.otherwise) block("else", *command.otherwise, depth);
  }
  void print_what(const While& command, int depth) {
    block(command.until ? "until" : "while", command.condition, depth);
    block("do", command.body, depth);
  }
  void print_what(const For& command, int depth) {
    std::string text = "for " + command.variable + (command.has_words ? " in" : "");
    for (const Word& word : command.words) text += " " + word.source;
    line(depth, text);
    for (const Word& word : command.words) print_inside(word, depth + 1);
    block("do", command.body, depth);
  }
  void print_what(const ArithmeticFor& command, int depth) {
    line(depth, "for ((" + command.start.source + ";" + command.condition.source + ";" + command.step.source + "))");
    for (const Word* word : {&command.start, &command.condition, &command.step}) print_inside(*word, depth + 1);
    block("do", command.body, depth);
  }
  void print_what(const Case& command, int depth) {
    line(depth, "case " + command.subject.source);
    print_inside(command.subject, depth + 1);
    for (const Case::Item& item : command.items) {
      std::string text;
      for (const Word& pattern : item.patterns) text += (text.empty() ? "" : " | ") + pattern.source;
      block(text, item.body, depth + 1);
      for (const Word& pattern : item.patterns) print_inside(pattern, depth + 2);
    }
  }
  void print_what(const Conditional& command, int depth) {
    line(depth, "[[ ]]");
    for (const Conditional::Test& test : command.tests) {
      std::string text = test.operands.size() == 2 ? test.operands[0].source + " " + test.operation : test.operation;
      text += (text.empty() ? "" : " ") + test.operands.back().source;
      line(depth + 1, text);
      for (const Word& operand : test.operands) print_inside(operand, depth + 2);
    }
  }
  void print_what(const ArithmeticCommand& command, int depth) {
    line(depth, "((" + command.expression.source + "))");
    print_inside(command.expression, depth + 1);
  }
  void print_what(const Function& command, int depth) {
    line(depth, "function " + command.name);
    print(*command.body, depth + 1);
  }

  void block(const std::string& title, const List& body, int depth) {
    line(depth, title);
    print(body, depth + 1);
  }

  void print(const Redirection& redirection, int depth) {
    constexpr const char* kSigns[] = {"<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<<"};
    std::string text = redirection.descriptor >= 0 ? std::to_string(redirection.descriptor) : std::string();
    text += kSigns[static_cast<std::size_t>(redirection.kind)];
    line(depth, text + " " + redirection.target.source);
    print_inside(redirection.document ? redirection.document->body : redirection.target, depth + 1);
  }

  // The commands that a word holds in its substitutions.
  void print_inside(const Word& word, int depth) {
    for (const Part& part : word.parts) print_inside(part, depth);
  }
  void print_inside(const Part& part, int depth) {
    if (part.body) block(part.kind == PartKind::process ? part.text + "( )" : "$( )", *part.body, depth);
    for (const Part& inside : part.parts) print_inside(inside, depth);
    for (const Word& alternative : part.alternatives) print_inside(alternative, depth);
    if (!part.parameter) return;
    for (const Word& word : part.parameter->words) print_inside(word, depth);
    if (part.parameter->subscript) print_inside(*part.parameter->subscript, depth);
  }

  std::string out_;
};

}  // namespace

std::string render(const List& script) {
  TreePrinter printer;
  printer.print(script, 0);
  return printer.take();
}

std::string render(const Commands& commands) {
  std::string out;
  int number = 0;
  for (const CommandUse& use : commands.commands) {
    out += std::to_string(++number) + ". " + describe(use);
    if (use.directory_changed) {
      out += "   (in";
      for (const std::string& directory : use.directories) out += " " + directory;
      out += use.directory_known ? ")" : " a folder that is not known)";
    }
    out += '\n';
  }
  for (const Note& note : commands.notes) out += "! " + note.text + '\n';
  return out;
}

}  // namespace deft::shell
