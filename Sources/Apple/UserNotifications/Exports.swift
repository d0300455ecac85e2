// Many extensions import nothing else: what Foundation has on iOS they have by this module, and Foundation with it.
@_exported public import BelfryAppleGround

/// The defaults of an app group or of this program. Named here once more: code that also imports Foundation says by the
/// module's name which of the two it means.
public typealias UserDefaults = BelfryAppleGround.UserDefaults
