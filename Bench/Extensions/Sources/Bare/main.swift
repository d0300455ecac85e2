import Foundation

// What an extension's process does at the least: of two lines at descriptor 3 it reads the second, and answers with what
// is in it, its title changed.
let channel = FileHandle(fileDescriptor: 3)
var bytes = Data()
while bytes.count(where: { $0 == 10 }) < 2 {
    let some = channel.availableData
    if some.isEmpty { exit(1) }
    bytes += some
}
let line = bytes.split(separator: 10)[1]
var request = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
var content = request["content"] as? [String: Any] ?? [:]
content["title"] = "\(content["title"] as? String ?? "") [modified]"
request["content"] = content
request["say"] = "reply"
try channel.write(contentsOf: JSONSerialization.data(withJSONObject: request) + [10])
// It stays until nobody listens, as the other does.
_ = channel.availableData
