// What a law in Python sees of its contact and of its statement. Both are safe to keep: the
// situation is a copy, the statement is closed when the call has returned.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/model/laws/law.hpp"

namespace clack::python {

struct SituationHandle {
  explicit SituationHandle(const ContactSituation& contact)
      : values(contact), memory(contact.memory.begin(), contact.memory.end()) {
    values.memory = {};
  }
  ContactSituation values;
  std::vector<double> memory;
};

class StatementHandle {
 public:
  StatementHandle(const ContactSituation& contact, LawStatement& statement)
      : contact_(&contact), statement_(&statement) {}
  void close() { statement_ = nullptr; }
  // Throws RuntimeError after the call in which it was given.
  LawStatement& get() const;
  const ContactSituation& contact() const { return *contact_; }

 private:
  const ContactSituation* contact_;
  LawStatement* statement_;
};

}  // namespace clack::python
