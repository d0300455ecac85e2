// One import is enough: an extension is tested in a bell's words.
@_exported public import BelfryTesting
