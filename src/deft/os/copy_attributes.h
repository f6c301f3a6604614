#pragma once

namespace deft {

// Gives the file `to` the owner, mode, access list and other attributes of `from`. False: not all of it was possible.
bool copy_attributes(int from, int to);

}  // namespace deft
