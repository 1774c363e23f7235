// Last words: what a fault, an abort or an escaping exception meant, said on stderr for the parent to read.
#pragma once

namespace host {

void installLastWords();

}  // namespace host
