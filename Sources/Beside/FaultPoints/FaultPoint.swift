public import PosixSupport

/// Places in a program where a test can make something go wrong: an enum next to the code that owns them, whose raw
/// values are their names.
///
/// A name is made of words and dots, from the part of the program to the moment, and is unique in its program. The code
/// names a place by its case, so the list that a program prints and the places it passes cannot differ.
public protocol FaultPoint: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// What can be made to happen at every place of the set.
    static var abilities: [FaultAbility] { get }
}

/// Places before a step of file work, at which a disk can fail. The thread that does the work is held up by a delay.
public protocol FileFaultPoint: FaultPoint {
    /// The place before `step` is done to `path`; nil where there is none.
    init?(_ step: FileStep, path: String)
}

/// Places on a thread that may block, such as after a durable step.
public protocol ThreadFaultPoint: FaultPoint {}

/// Places in a task, such as where it waits.
public protocol TaskFaultPoint: FaultPoint {}

/// Places before a message is sent; see ``SendLane``.
public protocol SendFaultPoint: FaultPoint {}

extension FileFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay, .fail] }

    /// The place of a set that is named after what is done to which part: `spool.manifest.write`, `spool.folder.sync`; nil
    /// where the set declares none of this name.
    /// - Parameters:
    ///   - set: The first word of the set's names.
    ///   - part: What a step of work on files is done to; nil where it has no place.
    public init?(_ step: FileStep, in set: String, part: String?) {
        let words =
            switch step {
            case .makeFolder: "folder.make"
            case .syncFolder: "folder.sync"
            case .syncFileSystem: "fileSystem.sync"
            case .syncFile: "\(part ?? "").sync"
            case .open, .read, .write, .rename, .remove: "\(part ?? "").\(step.rawValue)"
            }
        self.init(rawValue: "\(set).\(words)")
    }

    /// What a folder is given: nil, and so without cost, where no faults are asked for when it is opened.
    public static var injection: FileFault? {
        guard Faults.areArmed else { return nil }
        return { step, path in Self(step, path: path).flatMap { Faults.strikeThread($0.rawValue) } }
    }
}

extension Faults {
    /// What a folder is given whose file work several sets share, none of which names another's places; nil where no faults
    /// are asked for when it is opened.
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

    /// Says that the calling thread has come here.
    public func reached() {
        if Faults.areArmed { _ = Faults.strikeBlocking(rawValue) }
    }
}

extension TaskFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay] }

    /// Says that the calling task has come here.
    public func reached() async {
        if Faults.areArmed { _ = await Faults.strikeTask(rawValue) }
    }
}

extension SendFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay, .drop, .duplicate, .hold] }
}
