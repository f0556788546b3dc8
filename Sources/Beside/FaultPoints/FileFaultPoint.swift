internal import Glibc
public import PosixSupport

/// Points before a step of file work, at which a disk can fail. A delay blocks the thread that does the work.
public protocol FileFaultPoint: FaultPoint {
    /// Creates the point before `step` is done to `path`; nil if there is none.
    init?(_ step: FileStep, path: String)
}

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
