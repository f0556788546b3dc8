/// What the system lets a daemon have, and what the daemon consists of.
public struct LimitFacts: Hashable, Sendable {
    /// The program, which is also its unit: `capagentd`.
    public var program: String
    /// The most descriptors: of the running daemon, else of this process; nil if it is unknown.
    public var descriptors: Int?
    /// Whether the daemon runs, so that `descriptors` is what it has.
    public var isRunning: Bool
    /// `net.core.somaxconn`; nil if the kernel does not tell.
    public var backlog: Int?
    /// The most bytes that TCP buffers for a connection: the last number of `net.ipv4.tcp_rmem`; nil if the kernel does not tell.
    public var receiveBufferBytes: Int?
    /// The version of the libzmq of this program.
    public var libraryVersion: String
    /// Whether it prevents peers from aborting the process.
    public var isLibraryHardened: Bool
    /// Whether the running daemon's program was replaced since its start; nil if none runs, or if that is unknown.
    public var isProgramReplaced: Bool?

    public init(
        _ program: String, descriptors: Int?, isRunning: Bool, backlog: Int?, receiveBufferBytes: Int?,
        libraryVersion: String,
        isLibraryHardened: Bool, isProgramReplaced: Bool? = nil
    ) {
        self.program = program
        self.descriptors = descriptors
        self.isRunning = isRunning
        self.backlog = backlog
        self.receiveBufferBytes = receiveBufferBytes
        self.libraryVersion = libraryVersion
        self.isLibraryHardened = isLibraryHardened
        self.isProgramReplaced = isProgramReplaced
    }
}

extension LimitFacts {
    public static let checks: [Check<LimitFacts>] = [
        { $0.files }, { $0.connections }, { $0.buffers }, { CheckOutcome($0.hardening) }, { $0.replacement },
    ]

    /// Each camera needs about ten, each viewer one, each file that is being collected one.
    private static let neededDescriptors = 1024
    /// What libzmq asks for (`ZMQ_BACKLOG`).
    private static let neededBacklog = 100
    /// Enough for 1 Gbit/s at a round trip of 2 ms.
    private static let neededBufferBytes = 256 * 1024

    private var files: CheckOutcome {
        guard let descriptors else { return .unknown }
        guard descriptors < Self.neededDescriptors else { return .fine }
        let whose = isRunning ? "\(program), as it runs," : "a process of this session"
        return .found(
            .problem(
                .descriptorsFew, "limit of open files",
                "\(whose) may have \(descriptors) files and connections open at once",
                fix: "`systemctl edit \(program)`: [Service] LimitNOFILE=65536; in a shell: ulimit -n 65536 as root"))
    }

    private var connections: CheckOutcome {
        guard let backlog else { return .unknown }
        guard backlog < Self.neededBacklog else { return .fine }
        return .found(
            .warning(
                .backlogSmall, "net.core.somaxconn",
                "the kernel queues \(backlog) new connections, and the programs ask for \(Self.neededBacklog)",
                fix: "sysctl -w net.core.somaxconn=4096; to keep it, write it into /etc/sysctl.d/70-caprig.conf"))
    }

    private var buffers: CheckOutcome {
        guard let receiveBufferBytes else { return .unknown }
        guard receiveBufferBytes < Self.neededBufferBytes else { return .fine }
        return .found(
            .warning(
                .buffersSmall, "net.ipv4.tcp_rmem",
                "a connection may have \(receiveBufferBytes) bytes under way, which slows pictures down",
                fix:
                    "sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'; to keep it, write it into /etc/sysctl.d/70-caprig.conf"
            ))
    }

    private var hardening: Finding? {
        guard !isLibraryHardened else { return nil }
        return .warning(
            .libraryAbortable, "libzmq \(libraryVersion)", "any peer can abort \(program) through this libzmq",
            fix: "apt install \(package), or in the sources: make release, which links a libzmq that is mended")
    }

    private var package: String { program == "capcoordd" ? "caprig-coordinator" : "caprig-agent" }

    private var replacement: CheckOutcome {
        guard let isProgramReplaced else { return .unknown }
        guard isProgramReplaced else { return .fine }
        return .found(
            .warning(
                .programReplaced, program, "the running \(program) is older than the installed one",
                fix: "systemctl restart \(program)"))
    }
}

/// A program or library for pictures and movies that features of a configuration need.
public struct EncoderFacts: Hashable, Sendable {
    /// Its name, such as `ffmpeg`.
    public var name: String
    /// The Debian package that has it; nil if it is installed.
    public var missingPackage: String?
    /// What needs it, such as `clips of front, side`.
    public var users: String
    /// What happens without it: the end of a sentence.
    public var consequence: String

    public init(_ name: String, missingPackage: String?, users: String, consequence: String) {
        self.name = name
        self.missingPackage = missingPackage
        self.users = users
        self.consequence = consequence
    }

    public static let checks: [Check<EncoderFacts>] = [{ CheckOutcome($0.presence) }]

    /// The agent looks for it when it starts.
    private var presence: Finding? {
        missingPackage.map { package in
            .warning(
                .encoderMissing, name, "it is not installed; \(users): \(consequence)",
                fix: "apt install \(package) && systemctl restart capagentd")
        }
    }
}
