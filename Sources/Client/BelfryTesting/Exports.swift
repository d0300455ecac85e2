// The members of these modules' types come with one import, but not the types' names, such as `Event`, which an app may
// have too: Names.swift has them apart. What is named here are types that nobody else would name so.
@_exported public import enum BelfryJSON.JSONMemberSlice
@_exported public import struct BelfryProtocol.PushFraming
@_exported public import struct BelfryTerms.CodeWord
