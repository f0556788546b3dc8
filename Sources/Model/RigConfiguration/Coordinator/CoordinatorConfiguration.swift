/// What the coordinator does and where it keeps things: the content of its configuration file, which
/// `docs/configuration.md` describes.
public struct CoordinatorConfiguration: Hashable, Sendable {
    public var library: Library
    public var state: State
    public var listen: Listen
    public var collect: Collect
    public var trigger: Trigger

    /// Where finished shots lie.
    public struct Library: Hashable, Sendable {
        public var folder = "/var/lib/caprig/library"
        /// Whether small pictures are made of what is stored.
        public var previews = true
    }

    /// What the coordinator remembers of the rig, such as its roster.
    public struct State: Hashable, Sendable {
        /// nil for `.caprig` inside the library.
        public var folder: String?
    }

    /// Where the channels listen.
    public struct Listen: Hashable, Sendable {
        /// A name or address of this machine, without brackets; `*` for all. Daemons put an address in place of a name before
        /// they listen.
        public var host = "127.0.0.1"
        /// The control channel's port; clock, collect, client and feed take the four after it. 0: any free ports.
        public var basePort: UInt16 = 7710
        /// The last base port that leaves room for five.
        public static let lastBasePort: UInt16 = 65_531
    }

    /// How files come from the nodes.
    public struct Collect: Hashable, Sendable {
        /// All nodes together.
        public var rate = TransferRate.unlimited
    }

    /// What a trigger may ask.
    public struct Trigger: Hashable, Sendable {
        /// How long a client waits for outcomes after T when it names no time of its own.
        public var timeout = Duration.seconds(10)
        /// How far ahead T may lie.
        public var maximumAhead = Duration.seconds(10)
    }

    /// Everything at its default.
    public init() {
        (library, state, listen, collect, trigger) = (Library(), State(), Listen(), Collect(), Trigger())
    }

    /// The folder of the state, wherever the library is.
    public var stateFolder: String {
        state.folder ?? (library.folder.hasSuffix("/") ? library.folder + ".caprig" : library.folder + "/.caprig")
    }
}
