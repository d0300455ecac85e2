import BelfryPropertyList
import BelfryTerms
import CallLedger
import Support

/// Programs that know nothing of Belfry, and take no lock.
extension World {
    func comes(_ stranger: Stranger, group: Int) {
        guard let directory = directory(of: group) else { return }
        oracle.note("stranger")
        let name = "\(groups[group].text).plist"
        let bytes = directory.names[name]?.bytes
        switch stranger {
        case .addsKey: rewrite(directory, name) { $0["theirs"] = .integer(7) }
        case .writesOldCopy(let microseconds):
            machine.time.after(microseconds) { [self] in
                guard let bytes, let directory = self.directory(of: group) else { return }
                replace(directory, name, bytes)
            }
        case .removesStart: rewrite(directory, name) { $0["keyStartCallTime"] = nil }
        case .setsState(let state): set("state", to: .string(state), ofRinging: true, directory, name)
        case .deletesCalls: rewrite(directory, name) { $0["calls"] = nil }
        case .forgesRing(let isOfOtherBoot):
            rewriteCalls(directory, name) { $0["forged"] = .dictionary(ring(isOfOtherBoot)) }
        case .forgesEnd: rewriteCalls(directory, name) { $0["forged"] = .dictionary(["state": .string("answered")]) }
        case .forgesTime(let key):
            let ahead = PropertyListValue.real((machine.wall + .seconds(3_600)).unixSeconds)
            set(key, to: ahead, ofRinging: false, directory, name)
        case .setsForeground(let flag): set(flag, directory, name, group: group)
        case .writesThroughMapping: writeThroughMapping(directory, name, group: group)
        case .removesFile: machine.set(name, in: directory, to: nil)
        case .removesFolder:
            for name in directory.names.keys.sorted() { machine.set(name, in: directory, to: nil) }
            let library = machine.node(at: "/state/groups/\(groups[group].text)/Library")
            library.map { machine.set("Preferences", in: $0, to: nil) }
        case .breaksFile(let mendsAfter): breakFile(directory.names[name], in: directory, mendsAfter)
        case .makesTooLarge: replace(directory, name, [UInt8](repeating: 32, count: 1 << 20 + 1))
        case .makesLink: machine.set(name, in: directory, to: machine.make(.link, in: directory))
        }
    }

    @discardableResult
    private func rewrite(
        _ directory: PlayedNode, _ name: String, _ change: (inout PropertyListDictionary) -> Void
    ) -> PlayedNode {
        var root = (try? PropertyListDictionary.parse(directory.names[name]?.bytes ?? [])) ?? [:]
        change(&root)
        return replace(directory, name, root.serializedXML())
    }

    private func rewriteCalls(
        _ directory: PlayedNode, _ name: String, _ change: (inout PropertyListDictionary) -> Void
    ) {
        rewrite(directory, name) { root in
            var calls = root["calls"]?.dictionaryValue ?? [:]
            change(&calls)
            root["calls"] = .dictionary(calls)
        }
    }

    /// Sets `key` of all calls that ring, or of all that do not.
    private func set(
        _ key: String, to value: PropertyListValue, ofRinging isRinging: Bool, _ directory: PlayedNode, _ name: String
    ) {
        rewriteCalls(directory, name) { calls in
            for id in calls.keys {
                guard var call = calls[id]?.dictionaryValue else { continue }
                if (call["state"] == .string("ringing")) == isRinging { call[key] = value }
                calls[id] = .dictionary(call)
            }
        }
    }

    @discardableResult
    private func replace(_ directory: PlayedNode, _ name: String, _ bytes: [UInt8]) -> PlayedNode {
        let node = machine.make(.file, in: directory)
        node.bytes = bytes
        machine.set(name, in: directory, to: node)
        return node
    }

    private func ring(_ isOfOtherBoot: Bool) -> PropertyListDictionary {
        let (now, living) = (machine.bootTime, machine.spawn().owner)
        return [
            "state": .string("ringing"), "since": .integer(now.microseconds),
            "started": .integer(machine.wall.unixSecond),
            "until": .integer((now + .seconds(isOfOtherBoot ? 5 : 600)).microseconds),
            "bootId": .string(isOfOtherBoot ? "other" : machine.bootID), "pid": .integer(living.pid),
            "pidStart": .integer(living.start),
        ]
    }

    private func set(_ flag: ForegroundFlag, _ directory: PlayedNode, _ name: String, group: Int) {
        let now = machine.bootTime.microseconds
        func stamp(since: Int64, bootID: String? = nil) -> PropertyListValue {
            .dictionary(["bootId": .string(bootID ?? machine.bootID), "since": .integer(since)])
        }
        let (value, owner): (PropertyListValue, PropertyListValue?) =
            switch flag {
            case .yes, .inNewerFile: (.bool(true), nil)
            case .no: (.bool(false), nil)
            case .many: (.integer(2), nil)
            case .ofOtherBoot: (.bool(true), stamp(since: now, bootID: "other"))
            case .beforeBoot: (.bool(true), stamp(since: -1))
            case .ahead: (.bool(true), stamp(since: now + 3_600_000_000))
            case .justAhead: (.bool(true), stamp(since: now + 500_000))
            }
        let file = rewrite(directory, name) { ($0["enterToForground"], $0["foregroundOwner"]) = (value, owner) }
        if flag == .inNewerFile { file.modified += 3_600_000_000 }
        guard flag.isSet else { return oracle.models[group].enterBackground() }
        oracle.entersForeground(nil, group: group, isSilent: plan.surroundings.noticesLost > 0)
    }

    /// The file is replaced, and at once changed in place: in the same tick of the kernel's clock, to the same size.
    private func writeThroughMapping(_ directory: PlayedNode, _ name: String, group: Int) {
        machine.time.at((machine.time.now / 4_000 + 1) * 4_000) { [self] in
            let file = rewrite(directory, name) {
                ($0["enterToForground"], $0["theirs"]) = (.bool(false), .string("1"))
            }
            oracle.models[group].enterBackground()
            machine.time.after(3_000) { [self] in
                guard directory.names[name] === file, file.modified == machine.kernelTime else { return }
                var root = (try? PropertyListDictionary.parse(file.bytes)) ?? [:]
                // Its word is a letter shorter.
                (root["enterToForground"], root["theirs"]) = (.bool(true), .string("22"))
                file.bytes = root.serializedXML()
                oracle.entersForeground(nil, group: group, isSilent: true)
            }
        }
    }

    private func breakFile(_ file: PlayedNode?, in directory: PlayedNode, _ mendsAfter: Int64?) {
        guard let file else { return }
        let whole = file.bytes
        func write(_ bytes: [UInt8]) {
            file.bytes = bytes
            file.modified = machine.kernelTime
            machine.notify(directory)
        }
        write(Array(whole.prefix(whole.count / 2)))
        if let mendsAfter { machine.time.after(mendsAfter) { write(whole) } }
    }
}
