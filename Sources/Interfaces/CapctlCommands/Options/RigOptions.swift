internal import ArgumentParser
internal import CaptureModel
internal import ClientContexts
internal import DaemonSupport
internal import Foundation
internal import KeyFiles
internal import RigClient
internal import RigConfiguration
internal import RigSecurity
internal import SystemClock
internal import ZeroMQ

/// Options of every command that connects to a coordinator.
struct RigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The rig, by the name of its context.",
            discussion:
                "The default is the environment variable CAPRIG_CONTEXT, then the current context (`capctl context list`), then the coordinator of this machine.",
            valueName: "name"))
    var context: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the admin key of a coordinator on this machine, instead of a context.",
            discussion: "The default is the environment variable CAPRIG_ADMIN.", valueName: "folder"))
    var admin: String?

    @Option(
        help: ArgumentHelp(
            "Where the coordinator is reached, instead of at the address that the context or the admin key names.",
            discussion: "The default is the environment variable CAPRIG_COORDINATOR.", valueName: "endpoint"))
    var coordinator: String?

    #if CAPRIG_WITHOUT_KEYS
    @Flag(help: "The coordinator runs without keys. Only in a build for benchmarks.")
    var insecure = false
    #endif

    func validate() throws {
        guard context == nil || admin == nil else {
            throw ValidationError("--context and --admin each name a rig; give one of them.")
        }
        guard let coordinator else { return }
        do {
            _ = try TCPEndpoint(parsing: coordinator)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Calls `body` with a connected client and closes it afterwards.
    func withClient<Result>(_ body: (RigClient) async throws -> Result) async throws -> Result {
        try await target().withClient(body)
    }

    /// The coordinator that the command is for.
    func target() throws -> RigTarget {
        try RigTarget.chosen(by: self, environment: ProcessInfo.processInfo.environment)
    }
}

/// The coordinator that a command is for, and the keys to connect with.
struct RigTarget: Sendable {
    var endpoint: String
    /// nil for a coordinator without keys.
    var keys: ClientKeys?
    /// nil if no context says so.
    private var context: ContextName?
    /// Where the coordinator tells the administrators of its machine its key; nil if they are not meant.
    private var adminFolder: String?

    /// Decides by the options, the environment variables `CAPRIG_ADMIN` and `CAPRIG_COORDINATOR`, and what
    /// ``ContextChoice`` decides.
    static func chosen(by options: RigOptions, environment: [String: String]) throws -> RigTarget {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let reached = try (options.coordinator ?? variable("CAPRIG_COORDINATOR")).map {
            try TCPEndpoint(parsing: $0).description
        }
        #if CAPRIG_WITHOUT_KEYS
        if options.insecure { return RigTarget(endpoint: reached ?? "tcp://127.0.0.1:7713") }
        #endif
        let admin = options.admin ?? (options.context == nil ? variable("CAPRIG_ADMIN") : nil)
        var target = try admin.map(RigTarget.init(adminFolder:)) ?? known(by: options, environment)
        if let reached { target.endpoint = reached }
        return target
    }

    private static func known(by options: RigOptions, _ environment: [String: String]) throws -> RigTarget {
        // A service may have no home, and then no contexts.
        let file = try? ContextFile(environment: environment)
        let choice = try ContextChoice.resolve(
            option: options.context, environment: environment, contexts: try file?.load() ?? ContextList(),
            path: file?.path ?? "contexts.json"
        ) { () throws(KeyFileError) in
            try AdminKey(in: AdminKey.serviceFolder).load()
        }
        switch choice {
        case .localAdmin(let access): return RigTarget(access, in: AdminKey.serviceFolder)
        case .context(let context, _):
            let pair = try KeyFile(of: context).load()
            var target = RigTarget(
                endpoint: context.coordinator.description,
                keys: ClientKeys(pair: pair, coordinator: context.coordinatorKey))
            target.context = context.name
            return target
        }
    }

    init(endpoint: String, keys: ClientKeys? = nil) {
        self.endpoint = endpoint
        self.keys = keys
    }

    init(adminFolder: String) throws {
        self.init(try AdminKey(in: adminFolder).load(), in: adminFolder)
    }

    private init(_ access: AdminAccess, in folder: String) {
        self.init(endpoint: access.endpoint, keys: ClientKeys(pair: access.pair, coordinator: access.coordinator))
        adminFolder = folder
    }

    /// The user of the command: the account and the machine's name, such as `anna@studio-1`. It counts only without keys.
    static var accountName: String {
        "\(ProcessInfo.processInfo.userName)@\(ProcessInfo.processInfo.hostName)"
    }

    /// Returns the same coordinator with its new key, which the context keeps; nil if this is the key that is known.
    func knowing(_ told: PublicKey) throws -> RigTarget? {
        guard let keys, let key = CurvePublicKey(bytes: told.bytes), key != keys.coordinator else { return nil }
        var target = self
        target.keys?.coordinator = key
        if let context { try Self.contexts.replaceCoordinatorKey(of: context, keys.coordinator, with: key) }
        return target
    }

    private static var contexts: ContextFile {
        get throws { try ContextFile(environment: ProcessInfo.processInfo.environment) }
    }

    private var keeper: CoordinatorKeyKeeper {
        if let context {
            return (try? Self.contexts)?.keyKeeper(of: context) ?? .memory
        }
        guard let adminFolder else { return .memory }
        // The coordinator itself keeps the folder.
        return CoordinatorKeyKeeper(kept: { try? AdminKey(in: adminFolder).load().coordinator }, keep: { _, _ in })
    }

    /// Calls `body` with a connected client and closes it afterwards. The client follows a coordinator that replaces its key.
    func withClient<Result>(_ body: (RigClient) async throws -> Result) async throws -> Result {
        do {
            let host = try TCPEndpoint(parsing: endpoint).host
            try await HostCheck(time: SystemTimeSource()).check(host, of: endpoint)
        } catch let unresolved as UnresolvedHost {
            throw CommandFailure(.usage, "\(unresolved)")
        }
        let executor = try SocketExecutor(name: "client")
        let client = try RigClient(
            context: try ZeroMQContext(), executor: executor, time: SystemTimeSource(), name: Self.accountName,
            keys: keys, keeper: keeper)
        do {
            try await client.connect(to: endpoint)
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
