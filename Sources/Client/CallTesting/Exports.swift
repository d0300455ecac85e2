// One import is enough: an app is tested in a bell's words.
@_exported public import BelfryTesting
