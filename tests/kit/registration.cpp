// ScaleShift of chapter 5, registered by the kit.
#include "common/export.h"
#include "scale_shift.h"

Identity const kIDENTITY{"ScaleShift", "1", ""};

KIT_EXPORT(ScaleShiftCreator)
