internal import ArgumentParser
internal import CaptureModel
internal import ClientContexts
internal import DaemonSupport
internal import Foundation
internal import KeyFiles
internal import RigClient
internal import RigConfiguration
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
            "The client endpoint of a coordinator that runs without keys, instead of a context.",
            discussion: "The default is the environment variable CAPRIG_COORDINATOR.", valueName: "endpoint"))
    var coordinator: String?

    func validate() throws {
        guard [context, admin, coordinator].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("--context, --admin and --coordinator each name a rig; give one of them.")
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
        try await RigTarget.chosen(by: self, environment: ProcessInfo.processInfo.environment).withClient(body)
    }
}

/// The coordinator that a command is for, and the keys to connect with.
struct RigTarget: Sendable {
    var endpoint: String
    /// nil for a coordinator without keys.
    var keys: ClientKeys?

    /// Decides by the first of these that is given: the options, the environment variables `CAPRIG_ADMIN` and
    /// `CAPRIG_COORDINATOR`, and what ``ContextChoice`` decides.
    static func chosen(by options: RigOptions, environment: [String: String]) throws -> RigTarget {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let folder = options.admin { return try RigTarget(AdminKey(in: folder).load()) }
        if let endpoint = options.coordinator { return RigTarget(endpoint: endpoint) }
        if options.context == nil {
            if let folder = variable("CAPRIG_ADMIN") { return try RigTarget(AdminKey(in: folder).load()) }
            if let endpoint = variable("CAPRIG_COORDINATOR") {
                return RigTarget(endpoint: try TCPEndpoint(parsing: endpoint).description)
            }
        }
        // A service may have no home, and then no contexts.
        let file = try? ContextFile(environment: environment)
        let choice = try ContextChoice.resolve(
            option: options.context, environment: environment, contexts: try file?.load() ?? ContextList(),
            path: file?.path ?? "contexts.json"
        ) { () throws(KeyFileError) in
            try AdminKey(in: AdminKey.serviceFolder).load()
        }
        switch choice {
        case .localAdmin(let access): return RigTarget(access)
        case .context(let context, _):
            let pair = try KeyFile(of: context).load()
            return RigTarget(
                endpoint: context.coordinator.description,
                keys: ClientKeys(pair: pair, coordinator: context.coordinatorKey))
        }
    }

    init(endpoint: String, keys: ClientKeys? = nil) {
        self.endpoint = endpoint
        self.keys = keys
    }

    init(_ access: AdminAccess) {
        self.init(endpoint: access.endpoint, keys: ClientKeys(pair: access.pair, coordinator: access.coordinator))
    }

    /// The user of the command: the account and the machine's name, such as `anna@studio-1`. It counts only without keys.
    static var accountName: String {
        "\(ProcessInfo.processInfo.userName)@\(ProcessInfo.processInfo.hostName)"
    }

    /// Calls `body` with a connected client and closes it afterwards.
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
            keys: keys)
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

extension KeyFile {
    /// The file of the person's key pair of a context.
    init(of context: ClientContext) throws(KeyFileError) {
        let slash = context.keyFile.lastIndex(of: "/") ?? context.keyFile.startIndex
        try self.init(
            String(context.keyFile[context.keyFile.index(after: slash)...]), in: String(context.keyFile[..<slash]),
            environment: [:])
    }
}
