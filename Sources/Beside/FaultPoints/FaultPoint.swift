internal import CaptureModel
internal import Glibc
public import PosixSupport

/// A set of points in a program where a test can cause a failure: an enum beside the code that passes them. The raw
/// values are the names of the points.
///
/// A name consists of words and dots, from the part of the program to the moment, and is unique in its program. The
/// code passes a point by its case, so the printed list and the points in the code cannot differ.
public protocol FaultPoint: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// What can happen at every point of the set.
    static var abilities: [FaultAbility] { get }
}

/// Points before a step of file work, at which a disk can fail. A delay blocks the thread that does the work.
public protocol FileFaultPoint: FaultPoint {
    /// Creates the point before `step` is done to `path`; nil if there is none.
    init?(_ step: FileStep, path: String)
}

/// Points on a thread that may block, such as after a durable step.
public protocol ThreadFaultPoint: FaultPoint {}

/// Points in a task, such as at a wait.
public protocol TaskFaultPoint: FaultPoint {}

/// Points before a message is sent; see ``SendLane``.
public protocol SendFaultPoint: FaultPoint {}

extension FileFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay, .fail] }

    /// Creates the point of a set whose names state the part and the step: `spool.manifest.write`, `spool.folder.sync`;
    /// nil if the set declares no point of this name.
    /// - Parameters:
    ///   - set: The first word of the set's names.
    ///   - part: The file on which the step works; nil if it has no point.
    public init?(_ step: FileStep, in set: String, part: String?) {
        let words =
            switch step {
            case .makeFolder: "folder.make"
            case .syncFolder: "folder.sync"
            case .syncFileSystem: "fileSystem.sync"
            case .syncFile: "\(part ?? "").sync"
            case .open, .read, .write, .rename, .remove, .link, .renameLocked, .tryPublishing:
                "\(part ?? "").\(step.rawValue)"
            }
        self.init(rawValue: "\(set).\(words)")
    }

    /// The file fault for a folder; nil, and so without cost, if no faults are armed when the folder is opened.
    public static var injection: FileFault? {
        guard Faults.areArmed else { return nil }
        return { step, path in Self(step, path: path).flatMap { Faults.strikeThread($0.rawValue) } }
    }
}

extension Faults {
    /// Returns the file fault for a folder whose file work belongs to several disjoint sets; nil if no faults are armed
    /// when the folder is opened.
    public static func injection(_ sets: any FileFaultPoint.Type...) -> FileFault? {
        let injections = sets.compactMap { $0.injection }
        guard !injections.isEmpty else { return nil }
        return { step, path in
            for injection in injections { if let code = injection(step, path) { return code } }
            return nil
        }
    }
}

extension ThreadFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay] }

    /// Reports that the calling thread passes this point.
    public func reached() {
        if Faults.areArmed { _ = Faults.strikeBlocking(rawValue) }
    }
}

extension TaskFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay] }

    /// Reports that the calling task passes this point.
    public func reached() async {
        if Faults.areArmed { _ = await Faults.strikeTask(rawValue) }
    }
}

extension SendFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay, .drop, .duplicate, .hold] }
}

/// What can happen at a point.
public enum FaultAbility: String, Hashable, Sendable, CaseIterable {
    /// The process sends SIGKILL to itself.
    case crash
    /// The process sends SIGSTOP to itself, until it is continued.
    case stop
    /// The thread or task does not continue; a task continues when it is cancelled.
    case hang
    /// The thread or task continues later.
    case delay
    /// The step is not performed and fails with an errno.
    case fail
    /// The message is not sent, and its sender is not informed.
    case drop
    /// The message is sent twice.
    case duplicate
    /// The message is sent after the next one of its socket.
    case hold
}

/// The action of a rule at its point.
public enum FaultAction: Hashable, Sendable {
    case crash
    case stop
    case hang
    case delay(Duration)
    /// Fails with this errno.
    case fail(CInt)
    case drop
    case duplicate
    case hold

    /// The ability that a point needs for this action.
    public var ability: FaultAbility {
        switch self {
        case .crash: .crash
        case .stop: .stop
        case .hang: .hang
        case .delay: .delay
        case .fail: .fail
        case .drop: .drop
        case .duplicate: .duplicate
        case .hold: .hold
        }
    }

    /// Parses `crash`, `delay:250ms`, `fail:ENOSPC` and so on.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let ability = FaultAbility(rawValue: parts[0]) else { return nil }
        let argument = parts.count == 2 ? parts[1] : nil
        switch (ability, argument) {
        case (.crash, nil): self = .crash
        case (.stop, nil): self = .stop
        case (.hang, nil): self = .hang
        case (.drop, nil): self = .drop
        case (.duplicate, nil): self = .duplicate
        case (.hold, nil): self = .hold
        case (.delay, let argument?):
            guard argument.hasSuffix("ms"), let milliseconds = Int64(argument.dropLast(2)),
                (0...3_600_000).contains(milliseconds)
            else { return nil }
            self = .delay(.milliseconds(milliseconds))
        case (.fail, let argument?):
            guard let code = Self.codes[argument] else { return nil }
            self = .fail(code)
        default: return nil
        }
    }

    /// The errors of a failing disk.
    private static let codes = [
        "EACCES": EACCES, "EDQUOT": EDQUOT, "EIO": EIO, "EMFILE": EMFILE, "ENOSPC": ENOSPC, "EROFS": EROFS,
    ]
}

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
