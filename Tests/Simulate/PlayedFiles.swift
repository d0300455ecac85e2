import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A file, a directory or a socket's name on the played machine.
final class PlayedNode {
    enum Kind { case file, directory, socket, link }

    let inode: UInt64
    let kind: Kind
    /// Whether it is in memory rather than on the disk: gone with the power.
    let isInMemory: Bool
    var bytes: [UInt8] = []
    /// What a directory has in it.
    var names: [String: PlayedNode] = [:]
    /// When it was written last, in microseconds of the wall clock, cut to the kernel's ticks.
    var modified: Int64
    var links = 1
    /// Who listens behind a socket's name.
    weak var listener: PlayedSocket?
    /// Who holds its lock.
    var lock: OpenFile?
    /// What a power cut leaves of it: its bytes, and its names.
    var flushedBytes: [UInt8]?
    var flushedNames: [String: PlayedNode] = [:]
    /// Who is told when something in it changes.
    var watches: [PlayedWatch] = []

    init(_ kind: Kind, inode: UInt64, modified: Int64, isInMemory: Bool) {
        (self.kind, self.isInMemory, self.inode, self.modified) = (kind, isInMemory, inode, modified)
    }

    /// Whether a power cut would not change it.
    fileprivate var isFlushed: Bool { kind == .directory || flushedBytes == bytes }

    /// The file system writes its journal: all names are flushed, but those of files whose bytes are not stay as they
    /// were.
    func flushNames() {
        guard kind == .directory else { return }
        var flushed: [String: PlayedNode] = [:]
        for (name, node) in names {
            flushed[name] = node.isFlushed ? node : flushedNames[name]
            node.flushNames()
        }
        flushedNames = flushed
    }

    /// The power is cut.
    func loseWhatIsNotFlushed() {
        names = flushedNames
        if kind == .file { bytes = flushedBytes ?? [] }
        lock = nil
        watches = []
        for node in names.values {
            // What was removed and is back has its name again.
            node.links = 1
            node.loseWhatIsNotFlushed()
        }
    }
}

/// A descriptor of a process.
final class OpenFile {
    let node: PlayedNode
    let process: PlayedProcess?
    var offset = 0
    var socket: PlayedSocket?

    init(_ node: PlayedNode, process: PlayedProcess?) {
        (self.node, self.process) = (node, process)
    }
}

extension Machine {
    func fail(_ error: Int32) -> Int32 {
        errno = error
        return -1
    }

    /// The node at `path`, which begins at the root.
    func node(at path: String) -> PlayedNode? {
        var node = root
        for name in path.split(separator: "/") {
            guard let next = node.names[String(name)] else { return nil }
            node = next
        }
        return node
    }

    /// A number for `file`, which the process that calls has opened.
    func number(_ file: OpenFile) -> Int32 {
        numbersCount += 1
        files[numbersCount] = file
        file.process?.descriptors += 1
        return numbersCount
    }

    /// Whether the process that calls may open anything.
    var hasRoomForDescriptor: Bool { current?.hasRoomForDescriptor ?? true }

    /// Why nothing can be added to `directory`; nil if something can.
    private func refusal(in directory: PlayedNode) -> Int32? {
        if directory.links == 0 { return ENOENT }
        if directory.isInMemory { return lacks(.memoryFull) ? ENOSPC : nil }
        return lacks(.diskReadOnly) ? EROFS : lacks(.diskFull) ? ENOSPC : nil
    }

    /// Adds `node` to `directory` as `name`, or takes the name away.
    func set(_ name: String, in directory: PlayedNode, to node: PlayedNode?) {
        if let old = directory.names[name], old !== node { old.links -= 1 }
        directory.names[name] = node
        directory.modified = kernelTime
        notify(directory)
    }

    func make(_ kind: PlayedNode.Kind, in directory: PlayedNode) -> PlayedNode {
        inodesCount += 1
        return PlayedNode(kind, inode: inodesCount, modified: kernelTime, isInMemory: directory.isInMemory)
    }

    func open(_ path: String, _ flags: Int32) -> Int32 {
        guard step() else { return fail(EIO) }
        guard hasRoomForDescriptor else { return fail(EMFILE) }
        guard let node = node(at: path) else { return fail(ENOENT) }
        return number(OpenFile(node, process: current))
    }

    func openat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 {
        guard step(), let parent = files[directory]?.node else { return fail(EIO) }
        guard hasRoomForDescriptor else { return fail(EMFILE) }
        if name == "." { return number(OpenFile(parent, process: current)) }
        if let node = parent.names[name] {
            if flags & O_EXCL != 0 { return fail(EEXIST) }
            if node.kind == .link { return fail(ELOOP) }
            if node.kind == .socket { return fail(ENXIO) }
            if flags & O_DIRECTORY != 0, node.kind != .directory { return fail(ENOTDIR) }
            if flags & O_ACCMODE != O_RDONLY, node.kind == .directory { return fail(EISDIR) }
            return number(OpenFile(node, process: current))
        }
        guard flags & O_CREAT != 0 else { return fail(ENOENT) }
        if let refusal = refusal(in: parent) { return fail(refusal) }
        let node = make(.file, in: parent)
        set(name, in: parent, to: node)
        return number(OpenFile(node, process: current))
    }

    func close(_ descriptor: Int32) {
        guard let file = files.removeValue(forKey: descriptor) else { return }
        file.process?.descriptors -= 1
        if file.node.lock === file { file.node.lock = nil }
        file.socket?.close()
    }

    func mkdir(_ path: String) -> Int32 { fail(EEXIST) }

    func mkdirat(_ directory: Int32, _ name: String) -> Int32 {
        guard step(), let parent = files[directory]?.node else { return fail(EIO) }
        guard parent.names[name] == nil else { return fail(EEXIST) }
        if let refusal = refusal(in: parent) { return fail(refusal) }
        set(name, in: parent, to: make(.directory, in: parent))
        return 0
    }

    func unlinkat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 {
        guard step(), let parent = files[directory]?.node else { return fail(EIO) }
        guard let node = parent.names[name] else { return fail(ENOENT) }
        if !parent.isInMemory, lacks(.diskReadOnly) { return fail(EROFS) }
        guard (node.kind == .directory) == (flags & AT_REMOVEDIR != 0) else {
            return fail(node.kind == .directory ? EISDIR : ENOTDIR)
        }
        if node.kind == .directory, !node.names.isEmpty { return fail(ENOTEMPTY) }
        set(name, in: parent, to: nil)
        return 0
    }

    func renameat(_ directory: Int32, _ name: String, _ newDirectory: Int32, _ newName: String) -> Int32 {
        let call: StaticString = newName.hasSuffix(".plist") ? "the rename of the file" : "a rename"
        guard step(call), let from = files[directory]?.node, let to = files[newDirectory]?.node else {
            return fail(EIO)
        }
        guard let node = from.names[name], to.links > 0 else { return fail(ENOENT) }
        if !from.isInMemory, lacks(.diskReadOnly) { return fail(EROFS) }
        if to.names[newName]?.kind == .directory { return fail(EISDIR) }
        if newName.contains(".corrupt") { onSetAside(node) }
        if newName.hasSuffix(".plist") { onRename(newName, to) }
        from.names[name] = nil
        from.modified = kernelTime
        if from !== to { notify(from) }
        set(newName, in: to, to: node)
        return 0
    }

    func fstat(_ descriptor: Int32, _ status: inout stat) -> Int32 { describe(files[descriptor]?.node, &status) }

    func fstatat(_ directory: Int32, _ name: String, _ status: inout stat) -> Int32 {
        describe(files[directory]?.node.names[name], &status)
    }

    private func describe(_ node: PlayedNode?, _ status: inout stat) -> Int32 {
        guard let node else { return fail(ENOENT) }
        status.st_dev = 1
        status.st_ino = UInt(node.inode)
        status.st_uid = user
        status.st_nlink = UInt(max(0, node.links))
        status.st_size = node.bytes.count
        status.st_mtim.tv_sec = Int(node.modified / 1_000_000)
        status.st_mtim.tv_nsec = Int(node.modified % 1_000_000) * 1_000
        switch node.kind {
        case .file: status.st_mode = S_IFREG | 0o600
        case .directory: status.st_mode = S_IFDIR | 0o700
        case .socket: status.st_mode = S_IFSOCK | 0o600
        case .link: status.st_mode = S_IFLNK | 0o777
        }
        return 0
    }

    func getdents(_ directory: Int32) -> [String] {
        guard step(), let node = files[directory]?.node else { return [] }
        return Array(node.names.keys)
    }

    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard step(), let file = files[descriptor] else { return Int(fail(EIO)) }
        let count = min(buffer.count, max(0, file.node.bytes.count - file.offset))
        unsafe file.node.bytes.withUnsafeBytes { bytes in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[file.offset..<file.offset + count]))
        }
        file.offset += count
        return count
    }

    func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        guard step(), let file = files[descriptor] else { return Int(fail(EIO)) }
        // A disk that is full may still take a part.
        let isFull = file.node.isInMemory ? lacks(.memoryFull) : lacks(.diskFull)
        let count = isFull ? min(buffer.count, max(0, 64 - file.offset)) : buffer.count
        guard count > 0 else { return Int(fail(ENOSPC)) }
        unsafe file.node.bytes.append(contentsOf: buffer.prefix(count))
        file.offset += count
        file.node.modified = kernelTime
        return count
    }

    func fsync(_ descriptor: Int32) -> Int32 {
        guard step(), let node = files[descriptor]?.node else { return fail(EIO) }
        guard !lacks(.diskFailsFlushing) else { return fail(EIO) }
        if node.kind == .file { node.flushedBytes = node.bytes }
        state.flushNames()
        return 0
    }

    func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        guard step(), let file = files[descriptor] else { return fail(EIO) }
        if operation & LOCK_UN != 0 {
            if file.node.lock === file { file.node.lock = nil }
            return 0
        }
        guard file.node.lock == nil || file.node.lock === file else { return fail(EWOULDBLOCK) }
        file.node.lock = file
        return 0
    }
}
