public import PosixSupport

/// Where it is written which points were reached and which faults struck: a line each, in the kernel's hands before the
/// fault takes effect, so that a crash does not lose it.
///
/// `reached POINT` at the first time, `struck POINT ACTION HIT` each time.
public struct FaultReport: Sendable {
    private let file: OpenFile

    /// Appends to the file at `path`, which is created where missing.
    public init(path: String) throws(PosixError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let folder = parts.dropLast().joined(separator: "/")
        let place = parts.count == 1 ? "." : folder.isEmpty ? "/" : folder
        file = try Folder(opening: place).open(parts.last ?? "", for: .appending)
    }

    func reached(_ point: String) {
        write("reached \(point)")
    }

    func struck(_ point: String, _ action: FaultAction, _ hit: UInt64) {
        write("struck \(point) \(action.ability.rawValue) \(hit)")
    }

    /// A report that cannot be written must not become a fault of its own.
    private func write(_ line: String) {
        try? file.write(Array("\(line)\n".utf8))
    }
}
