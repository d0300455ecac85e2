// Many extensions import nothing else: this module gives them Foundation, with iOS's parts of it.
@_exported public import BelfryAppleGround

/// The defaults of an app group or of this program. Declared here again, so that code that also imports Foundation can
/// choose between the two by this module's name.
public typealias UserDefaults = BelfryAppleGround.UserDefaults
