/// What a check has found: what it is about, why it matters, and what fixes it.
public struct Finding: Hashable, Sendable, Encodable {
    public enum Severity: String, Hashable, Sendable, Encodable, CaseIterable {
        /// Something that the rig needs does not work.
        case problem
        /// It works, but less well than it could, or it may stop.
        case warning
    }

    /// What a check can find; `docs/doctor.md` lists all. Programs may compare with these words.
    public enum Code: String, Hashable, Sendable, Encodable, CaseIterable {
        case folderNotWritable, diskReadOnly, diskFull, diskNearlyFull, inodesUsedUp, diskSlow, syncSlow
        case publishingImpossible, permissionsIgnored, filesLimited, notDurable
        case clockUnsynchronized, clockContended, ptpUnused, machineSlept
        case addressMissing, portTaken, loopbackOnly
        case hostUnresolved, coordinatorClosed, coordinatorSilent, channelClosed, keyMissing, keyUnusable, keyRefused
        case wrongCoordinator, packetsSmall
        case descriptorsFew, backlogSmall, buffersSmall
        case encoderMissing, libraryAbortable, programReplaced
        case cameraAbsent, cameraDenied, busNarrow
        case versionsDiffer, nodeAway, nodeUnsynchronized, clockUncertain, clockContradicted, spoolShort,
            libraryUnusable, libraryNearlyFull, retentionHeldBack
        case machineOverloaded, cameraFailed, cameraInterrupted, cameraSlow, cameraCostly, cameraNotConfigured
        case framesLoopback, framesUnreachable
    }

    public var code: Code
    public var severity: Severity
    /// What it is about, such as `camera front` or `spool /var/lib/caprig/spool`.
    public var subject: String
    /// What is wrong: a sentence without full stop.
    public var reason: String
    /// The command that fixes it, or a sentence that names it.
    public var remedy: String

    public init(_ code: Code, _ severity: Severity, _ subject: String, _ reason: String, fix remedy: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.reason = reason
        self.remedy = remedy
    }

    static func problem(_ code: Code, _ subject: String, _ reason: String, fix remedy: String) -> Finding {
        Finding(code, .problem, subject, reason, fix: remedy)
    }

    static func warning(_ code: Code, _ subject: String, _ reason: String, fix remedy: String) -> Finding {
        Finding(code, .warning, subject, reason, fix: remedy)
    }
}
