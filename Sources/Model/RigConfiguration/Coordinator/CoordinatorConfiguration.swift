public import CaptureModel
public import RigSecurity

/// The settings and folders of the coordinator: the content of its configuration file, which `docs/configuration.md` describes.
public struct CoordinatorConfiguration: Hashable, Sendable {
    /// The name by which people tell rigs apart; nil means `rig`.
    public var rig: RigName?
    public var library: Library
    public var state: State
    public var listen: Listen
    public var collect: Collect
    public var trigger: Trigger
    public var audit: Audit
    public var clock: ClockSettings

    /// The storage of finished shots.
    public struct Library: Hashable, Sendable {
        public var folder = "/var/lib/caprig/library"
        /// Whether thumbnails of stored pictures are made.
        public var previews = true
        /// Where other programs keep a copy of the library, which is only read; nil if nowhere.
        public var copy: String?
        /// When shots are deleted; nil: never.
        public var keep: Retention?
    }

    /// Which shots of the library are deleted, oldest first. At least one of age and space is stated.
    public struct Retention: Hashable, Sendable {
        /// Shots whose T is longer ago are deleted; nil: their age does not matter.
        public var age: Duration?
        /// Shots are deleted until the disk has so many bytes free; nil: as long as it can hold them.
        public var free: ByteCount?
        /// What is done with shots of which no other copy is known.
        public var onlyCopies = OnlyCopies.keep

        public enum OnlyCopies: String, Hashable, Sendable, CaseIterable {
            case keep
            case delete
        }

        public init(age: Duration? = nil, free: ByteCount? = nil, onlyCopies: OnlyCopies = .keep) {
            self.age = age
            self.free = free
            self.onlyCopies = onlyCopies
        }

        /// The age in the largest unit that needs no fraction, such as `30 d`.
        var ageText: String? { age.map { ScaledUnit.text(of: $0.nanoseconds, in: Duration.units) } }

        /// The rule in words, such as `for 30 d, 50 GB free`.
        public var text: String {
            [ageText.map { "for \($0)" }, free.map { "\($0) free" }].compactMap(\.self).joined(separator: ", ")
        }
    }

    /// The storage of what the coordinator remembers of the rig, such as its roster.
    public struct State: Hashable, Sendable {
        /// nil means `.caprig` in the library.
        public var folder: String?
    }

    /// The address on which the channels listen.
    public struct Listen: Hashable, Sendable {
        /// A name or address of this machine, without brackets; `*` for all. Daemons replace a name by an address before they listen.
        public var host = "127.0.0.1"
        /// The control channel's port. Clock, collect, client, feed and join use the next five, and the six after them
        /// serve a key that is being replaced. 0 means any free ports.
        public var basePort: UInt16 = 7710
        /// The last base port for which all twelve ports exist.
        public static let lastBasePort: UInt16 = 65_524
    }

    /// The collection of files from the nodes.
    public struct Collect: Hashable, Sendable {
        /// The limit for all nodes together.
        public var rate = TransferRate.unlimited
    }

    /// The limits of a trigger.
    public struct Trigger: Hashable, Sendable {
        /// How long a client waits for outcomes after T if its request has no timeout.
        public var timeout = Duration.seconds(10)
        /// How far ahead T may be.
        public var maximumAhead = Duration.seconds(10)
        /// The limits of shots whose request has none; nil for none.
        public var timing: TimingLimits?
    }

    /// The log of what concerns the rig's security.
    public struct Audit: Hashable, Sendable {
        /// The bound of its files together; the oldest is removed before they exceed it.
        public var limit = ByteCount.mebibytes(64)
    }

    /// Creates the configuration with all defaults.
    public init() {
        (library, state, listen, collect) = (Library(), State(), Listen(), Collect())
        (trigger, audit, clock) = (Trigger(), Audit(), ClockSettings())
    }

    /// The folder of the state, with the default applied.
    public var stateFolder: String {
        state.folder ?? (library.folder.hasSuffix("/") ? library.folder + ".caprig" : library.folder + "/.caprig")
    }
}

extension CoordinatorConfiguration {
    /// Parses the text of a configuration file. Every key has a default.
    /// - Parameters:
    ///   - file: The name of the file, for the messages.
    ///   - folder: The folder to which relative paths refer; nil leaves them as they are.
    /// - Throws: ``ConfigurationError`` with all problems, each with its line.
    public static func parse(
        text: String, file: String, folder: String? = nil
    ) throws(ConfigurationError) -> CoordinatorConfiguration {
        try YAMLDocument.parse(text, file: file, folder: folder) { mapping in CoordinatorConfiguration(mapping) }
    }

    private init(_ mapping: YAMLMapping) {
        self.init()
        rig = mapping.value("rig")?.scalar(.name())
        if let mapping = mapping.mapping("library") {
            library.folder = mapping.readPath("folder", default: library.folder)
            library.previews = mapping.read("previews", .flag, default: library.previews)
            library.copy = mapping.value("copy")?.filePath()
            library.keep = mapping.mapping("keep").flatMap(Self.retention)
            mapping.finish()
        }
        if let mapping = mapping.mapping("state") {
            state.folder = mapping.value("folder")?.filePath()
            mapping.finish()
        }
        if let mapping = mapping.mapping("listen") {
            listen.host = mapping.read("host", .host, default: listen.host)
            listen.basePort = mapping.read("basePort", .integer(0...Listen.lastBasePort), default: listen.basePort)
            mapping.finish()
        }
        if let mapping = mapping.mapping("collect") {
            collect.rate = mapping.read("rate", .transferRate, default: collect.rate)
            mapping.finish()
        }
        if let mapping = mapping.mapping("trigger") {
            readTrigger(mapping)
        }
        if let mapping = mapping.mapping("audit") {
            audit.limit = mapping.read(
                "limit", .byteCount(.mebibytes(1) ... .mebibytes(1 << 20)), default: audit.limit)
            mapping.finish()
        }
        if let mapping = mapping.mapping("clock") { clock = ClockSettings(mapping) }
    }

    private static func retention(_ mapping: YAMLMapping) -> Retention? {
        let age: ClosedRange<Duration> = .seconds(3600) ... .seconds(36_500 * 86_400)
        let free: ClosedRange<ByteCount> = .mebibytes(1) ... .mebibytes(1 << 30)
        let retention = Retention(
            age: mapping.value("for")?.scalar(.duration(age)), free: mapping.value("free")?.scalar(.byteCount(free)),
            onlyCopies: mapping.read("onlyCopies", .oneOf(Retention.OnlyCopies.self), default: .keep))
        mapping.finish()
        if !mapping.names.contains("for"), !mapping.names.contains("free") {
            mapping.report(
                .missingKey, "needs 'for', the age of shots that are deleted, or 'free', the bytes to keep free")
        }
        return retention
    }

    private mutating func readTrigger(_ mapping: YAMLMapping) {
        let timeout: ClosedRange<Duration> = .milliseconds(100) ... .seconds(86_400)
        trigger.timeout = mapping.read("timeout", .duration(timeout), default: trigger.timeout)
        let ahead: ClosedRange<Duration> = .milliseconds(100) ... .seconds(600)
        trigger.maximumAhead = mapping.read("maximumAhead", .duration(ahead), default: trigger.maximumAhead)
        trigger.timing = Self.timing(mapping)
        mapping.finish()
    }

    private static func timing(_ mapping: YAMLMapping) -> TimingLimits? {
        let limits = TimingLimits(
            maxSkew: mapping.value("maxSkew")?.scalar(.duration(TimingLimits.range)),
            maxBound: mapping.value("maxBound")?.scalar(.duration(TimingLimits.range)),
            onExcess: mapping.read("onExcess", .oneOf(TimingLimits.OnExcess.self), default: .mark))
        guard mapping.names.contains("maxSkew") || mapping.names.contains("maxBound") else {
            if mapping.names.contains("onExcess") {
                mapping.report(.missingKey, "'onExcess' needs 'maxSkew' or 'maxBound', which it is about")
            }
            return nil
        }
        return limits
    }
}
