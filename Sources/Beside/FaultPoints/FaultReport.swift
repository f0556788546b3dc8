internal import Glibc
public import PosixSupport

/// A file that records which points were reached and which faults struck, one line each. The kernel has a line before
/// the fault takes effect, so a crash does not lose it.
///
/// `reached POINT` at the first pass, `struck POINT ACTION HIT` at each fault.
public struct FaultReport: Sendable {
    private let file: OpenFile

    /// Opens the file at `path` for appending, and creates it if it is missing.
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

    /// Ignores errors: a report that cannot be written must not cause another fault.
    private func write(_ line: String) {
        try? file.write(Array("\(line)\n".utf8))
    }
}
