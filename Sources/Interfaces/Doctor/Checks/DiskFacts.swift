internal import CaptureModel
public import PosixSupport

/// A folder that a daemon keeps files in, and the disk that has it.
public struct DiskFacts: Hashable, Sendable {
    /// What is kept there: `spool`, `library`, `state` or `keys`.
    public var contents: String
    public var path: String
    /// The key of the configuration that names it, such as `spool.folder`.
    public var setting: String
    /// The user whom the checks concern, by name.
    public var user: String
    /// Bytes below which nothing can be stored.
    public var neededBytes: Int64
    /// Bytes that would let the daemon store as much as its configuration allows; nil if it names no limit.
    public var wantedBytes: Int64?
    /// Bytes per second that are written while everything records; nil if it is unknown.
    public var demandBytesPerSecond: Int64?
    /// Whether other users must not read what is there.
    public var isPrivate: Bool

    /// The existing folder that is on the disk: the folder itself, or the nearest above it.
    public var existing: String
    /// Why the user may not create files there; nil if it may.
    public var refusal: PosixError?
    /// nil if it could not be asked.
    public var room: FileSystemRoom?
    public var mount: Mount?
    /// Why files cannot be published there; nil if they can, or if it was not tried.
    public var unsuitable: UnsuitableFileSystem?
    /// nil if it was not tried.
    public var ignoresPermissions: Bool?
    /// nil if it was not measured.
    public var speed: DiskSpeed?

    /// - Parameter contents: What is kept there.
    public init(
        _ contents: String, at path: String, setting: String, user: String, neededBytes: Int64 = 64_000_000,
        wantedBytes: Int64? = nil, isPrivate: Bool = false
    ) {
        self.contents = contents
        self.path = path
        self.setting = setting
        self.user = user
        self.neededBytes = neededBytes
        self.wantedBytes = wantedBytes
        self.isPrivate = isPrivate
        existing = path
    }
}

/// How fast a disk stores files.
public struct DiskSpeed: Hashable, Sendable {
    public var bytesPerSecond: Int64
    /// How long a file of a few bytes takes until it is durable.
    public var sync: Duration

    public init(bytesPerSecond: Int64, sync: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.sync = sync
    }
}

extension DiskFacts {
    /// Each of them may find one thing.
    public static let checks: [Check<DiskFacts>] = [
        { CheckOutcome($0.writability) }, { $0.readOnly }, { $0.bytes }, { $0.inodes }, { $0.publishing },
        { $0.permissions },
        { $0.fileSize }, { $0.durability }, { $0.throughput }, { $0.syncTime },
    ]

    private var subject: String { "\(contents) \(path)" }
    private var point: String { mount?.point ?? existing }
    private var elsewhere: String { "use a folder on an ext4, xfs or btrfs disk: set `\(setting)`" }

    private var writability: Finding? {
        guard let refusal, room?.isReadOnly != true else { return nil }
        let group = isPrivate ? "0700" : "0750"
        return .problem(
            .folderNotWritable, subject, "user '\(user)' may not write in \(existing): \(refusal.reason)",
            fix: "install -d -o \(user) -m \(group) \(path)")
    }

    private var readOnly: CheckOutcome {
        guard let room else { return .unknown }
        guard room.isReadOnly else { return .fine }
        return .found(
            .problem(
                .diskReadOnly, subject,
                "its disk is mounted read-only; after an error, the kernel does that: `dmesg` shows it",
                fix: "mount -o remount,rw \(point)"))
    }

    private var bytes: CheckOutcome {
        guard let room, !room.isReadOnly else { return .unknown }
        let show = "du -xh -d 2 \(point) | sort -h | tail -n 20; remove what is not needed"
        if room.freeBytes < neededBytes {
            return .found(
                .problem(
                    .diskFull, subject,
                    "its disk has \(room.freeBytes.megabytes) free, and \(neededBytes.megabytes) must be free before anything is stored",
                    fix: show))
        }
        guard let wantedBytes, room.freeBytes < wantedBytes else { return .fine }
        return .found(
            .warning(
                .diskNearlyFull, subject,
                "its disk has \(room.freeBytes.megabytes) free, and the configuration lets it use \(wantedBytes.megabytes)",
                fix: show))
    }

    /// The fewest inodes for a few captures, each in a folder with a handful of files.
    private static let neededInodes: Int64 = 100

    private var inodes: CheckOutcome {
        guard let free = room?.freeFiles, room?.isReadOnly == false else { return .unknown }
        guard free < Self.neededInodes else { return .fine }
        return .found(
            .problem(
                .inodesUsedUp, subject, "its disk can hold \(free) more files, however small (`df -i \(point)`)",
                fix: "du --inodes -x -d 2 \(point) | sort -n | tail -n 20; remove what is not needed"))
    }

    private var publishing: CheckOutcome {
        guard speed != nil || unsuitable != nil else { return .unknown }
        return CheckOutcome(
            unsuitable.map { unsuitable in
                .problem(
                    .publishingImpossible, subject,
                    "its file system\(typeText) cannot give a finished file its name without replacing another: \(unsuitable.cause.reason)",
                    fix: elsewhere)
            })
    }

    private var permissions: CheckOutcome {
        guard isPrivate, let ignoresPermissions else { return .unknown }
        guard ignoresPermissions else { return .fine }
        return .found(
            .problem(
                .permissionsIgnored, subject,
                "its file system\(typeText) gives every file the same permissions, so keys are not private",
                fix: elsewhere))
    }

    private var typeText: String { mount.map { " (\($0.type))" } ?? "" }

    private var fileSize: CheckOutcome {
        guard let mount, !isPrivate else { return .unknown }
        guard ["vfat", "msdos"].contains(mount.type) else { return .fine }
        return .found(
            .warning(
                .filesLimited, subject, "its file system (\(mount.type)) ends files at 4 GiB, and with them recordings",
                fix: "capctl record start --segment-size 4GB, or \(elsewhere)"))
    }

    private var durability: CheckOutcome {
        guard let mount else { return .unknown }
        guard ["tmpfs", "ramfs"].contains(mount.type) else { return .fine }
        return .found(
            .warning(
                .notDurable, subject, "it is in memory (\(mount.type)), and lost when the machine restarts",
                fix: elsewhere))
    }

    /// Slower than the slowest memory cards that are sold for cameras (class 2).
    private static let slowBytesPerSecond: Int64 = 2_000_000

    private var throughput: CheckOutcome {
        guard let speed else { return .unknown }
        let demand = max(demandBytesPerSecond ?? 0, Self.slowBytesPerSecond)
        guard speed.bytesPerSecond < demand else { return .fine }
        return .found(
            .warning(
                .diskSlow, subject,
                "its disk stores \(speed.bytesPerSecond.megabytes)/s, and the cameras deliver \(demand.megabytes)/s while all record",
                fix:
                    "choose smaller or compressed formats, or a faster disk: set `\(setting)`; `iostat -x 2` shows who else writes"
            ))
    }

    /// A capture needs several of these before its outcome is known.
    private static let slowSync = Duration.seconds(1)

    private var syncTime: CheckOutcome {
        guard let speed else { return .unknown }
        guard speed.sync > Self.slowSync else { return .fine }
        return .found(
            .warning(
                .syncSlow, subject,
                "its disk takes \(speed.sync.text) to make a small file durable (fsync); each capture waits for that",
                fix: "use a faster disk: set `\(setting)`; `iostat -x 2` shows who else writes"))
    }
}

extension Int64 {
    /// Millions of bytes, rounded up, for people: `48 MB`.
    var megabytes: String { "\(self / 1_000_000 + (self % 1_000_000 > 0 ? 1 : 0)) MB" }
}
