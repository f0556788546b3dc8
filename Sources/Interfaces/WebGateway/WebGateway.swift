public import CaptureModel
public import ClientContexts
internal import Hummingbird
internal import HummingbirdCore
internal import KeyFiles
public import Logging
internal import Movies
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import PrivateFiles
internal import RigClient
internal import RigConfiguration
internal import RigSecurity
public import ServiceLifecycle
internal import ZeroMQ

internal import class PosixSupport.Locked
internal import enum PosixSupport.ReachableAddress

/// A gateway between browsers or scripts and one rig. docs/api/README.md describes what it serves.
///
/// It holds little that would be lost with it: what it serves is asked of the coordinator, with the session of whoever asks. Its own are only the
/// history of the last hour, and its runs of matching, which it ends with an outcome for every camera.
public struct WebGateway: Service {
    /// What a gateway is started with.
    public struct Configuration: Sendable {
        /// The address to listen on. With ``GatewayTransport/loopback(isBehindTLS:)`` one of this machine's own.
        public var listen = "127.0.0.1"
        public var transport = GatewayTransport.loopback(isBehindTLS: false)
        /// 0: any free port.
        public var port: UInt16 = 7780
        /// Further `Host`s by which it is reached, such as the name that a reverse proxy has.
        public var hosts: [String] = []
        /// A private file with an API token, in whose name requests without a session look; nil: they are refused.
        public var anonymousToken: String?
        /// The folder of the page's files; nil: the one beside the program.
        public var page: String?
        /// The folder for movies while they are encoded and sent; made when it is first needed.
        public var movies: String
        /// The most bytes in it.
        public var movieSpace: Int64 = 16 << 30
        /// nil: it is not a bridge to MQTT.
        public var mqtt: MQTTBridgeConfiguration?

        public init(movies: String) {
            self.movies = movies
        }
    }

    /// The name and version of this software.
    public static let software = "capwebd 0.1.0"
    /// Connections that the kernel keeps until the gateway accepts them, if `net.core.somaxconn` allows as many. Beyond that it drops attempts,
    /// which clients repeat after seconds.
    private static let backlog = 4096
    /// How long the end of the gateway waits for cameras that are being set; less than a daemon's end may take.
    private static let matchingPatience = Duration.seconds(3)
    /// How often a coordinator that does not answer is asked again at the start.
    private static let retryInterval = Duration.seconds(1)

    private let configuration: Configuration
    private let client: RigClient
    private let endpoint: String
    private let page: PageFiles
    /// In whose name requests without a session look.
    private let anonymous: SessionSecret?
    /// nil for plain HTTP.
    private let certificate: CertificateKeeper?
    private let movies: MovieDownloads
    private let time: any TimeSource
    private let log: Logger
    /// nil without a bridge to MQTT.
    private let mqttFigures: Locked<MQTTFigures>?
    /// The port, once the gateway listens. Ends without one if it never does.
    private let ready = AsyncStream.makeStream(of: UInt16.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - rig: The rig, with a key of role `dashboard`.
    ///   - contexts: Where the rig's coordinator key is kept.
    ///   - program: The path of this program, beside which the page is looked for.
    /// - Throws: `MissingPage`, ``UnusableCertificate``, `UnusablePrivateLine`, `KeyFileError`, or the error of the file system.
    public init(
        _ configuration: Configuration, rig: ClientContext, contexts: ContextFile, program: String,
        time: any TimeSource, log: Logger
    ) throws {
        guard let folder = configuration.page ?? PageFiles.folder(besideProgram: program) else {
            throw MissingPage(folder: "the folder beside \(program)")
        }
        page = try PageFiles(folder: folder)
        self.configuration = configuration
        anonymous = try configuration.anonymousToken.map { file in
            guard let token = SessionSecret(text: try PrivateLine.read(file)) else {
                throw UnusablePrivateLine(
                    description:
                        "\(file) contains no token; make one: capctl web token --may view --label wall > \(file)")
            }
            return token
        }
        certificate =
            if case .tls(let place) = configuration.transport {
                try CertificateKeeper(
                    place, names: configuration.certificateNames, time: time, log: log)
            } else { nil }
        client = try RigClient(
            context: try ZeroMQContext(), executor: try SocketExecutor(name: "rig"), time: time, name: "capwebd",
            keys: ClientKeys(pair: try KeyFile(of: rig).load(), coordinator: rig.coordinatorKey),
            keeper: contexts.keyKeeper(of: rig.name) { problem in
                if let problem {
                    log.warning(
                        "the coordinator's new key is known until this program ends, and cannot be kept",
                        metadata: ["reason": "\(problem)"])
                } else {
                    log.notice("the coordinator has a new key", metadata: ["context": "\(rig.name)"])
                }
            })
        endpoint = rig.coordinator.description
        let encoder = ExternalProgram.find(MovieEncoder.programName)
        if encoder == nil {
            log.notice("no movies can be encoded", metadata: ["missing": "\(MovieEncoder.programName)"])
        }
        movies = try MovieDownloads(
            encoder, in: MovieSpace(path: configuration.movies, limit: configuration.movieSpace))
        self.time = time
        self.log = log
        mqttFigures = configuration.mqtt.map { _ in Locked(MQTTFigures()) }
    }

    /// The address to open, once the gateway listens. One task may wait for it.
    /// - Throws: `CancellationError` if it never does.
    public var address: String {
        get async throws {
            for await port in ready.stream { return address(port: Int(port)) }
            throw CancellationError()
        }
    }

    private func address(port: Int) -> String {
        configuration.address(port: port, reachable: ReachableAddress.ofThisMachine())
    }

    public func run() async throws {
        defer { ready.continuation.finish() }
        do {
            try await client.connect(to: endpoint)
            if let name = try await rigName() {
                try await checkAnonymous()
                try await serve(name)
            }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func serve(_ name: RigName) async throws {
        let rig = GatewayRig(
            name, client: client, movies: movies, turner: try PictureTurner(log: log), time: time, log: log)
        // Known once the server listens; no request arrives before.
        let port = Locked(0)
        let names = HostNames.ofThisMachine
        let listening = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let origins: @Sendable () -> OwnOrigins = { [configuration] in
            OwnOrigins(
                port: port.withLock(\.self), names: names, further: configuration.hosts,
                transport: configuration.transport)
        }
        let router = router(rig, origins)
        let application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { responder in
                UpgradingChannel(
                    responder: responder, transport: configuration.transport, certificate: certificate,
                    connections: rig.connections,
                    secureOrigin: { host in
                        origins().origin(of: host ?? "") ?? String(address(port: port.withLock(\.self)).dropLast())
                    },
                    admit: { head in await admit(head, rig, origins()) },
                    serve: { frames, session in await LiveConnection.serve(frames, session, rig) })
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen, port: Int(configuration.port)), serverName: nil,
                backlog: Self.backlog,
                availableConnectionsDelegate: MaximumAvailableConnections(ConnectionTable.all, logger: log)),
            onServerRunning: { channel in
                let bound = channel.localAddress?.port ?? 0
                port.withLock { $0 = bound }
                log.info("the gateway serves", metadata: ["rig": "\(rig.name)", "port": "\(bound)"])
                listening.continuation.yield(bound)
                ready.continuation.yield(UInt16(clamping: bound))
            },
            logger: log)
        async let bridging: Void = bridge(rig)
        async let matching: Void = endMatching(rig)
        // These end when this function does.
        async let _: Void? = try? certificate?.follow()
        async let _: Void = announce(listening.stream)
        async let _: Void = rig.history.run()
        try await application.run()
        await announcer(port.withLock(\.self)).withdraw()
        await bridging
        await matching
    }

    /// Ends the runs of matching when the gateway is to end, before the connections of those who wait for them.
    private func endMatching(_ rig: GatewayRig) async {
        try? await gracefulShutdown()
        await rig.matches.close(within: Self.matchingPatience)
    }

    /// Is a bridge to MQTT, if one is configured, until the gateway is to end.
    private func bridge(_ rig: GatewayRig) async {
        guard let mqtt = configuration.mqtt, let mqttFigures else { return }
        await cancelWhenGracefulShutdown { await MQTTBridge(mqtt, rig, figures: mqttFigures).run() }
    }

    /// Announces this gateway once it listens, until the task is cancelled.
    private func announce(_ listening: AsyncStream<Int>) async {
        for await port in listening { try? await announcer(port).run() }
    }

    private func announcer(_ port: Int) -> GatewayAnnouncer {
        GatewayAnnouncer(
            client: client,
            address: { [configuration] in
                configuration.address(port: port, reachable: ReachableAddress.ofThisMachine())
            },
            certificate: { [certificate] in certificate?.ownFingerprint }, time: time, log: log)
    }

    /// Asks for the rig's name until the coordinator answers.
    /// - Returns: nil if the gateway is to end before that.
    private func rigName() async throws -> RigName? {
        try await cancelWhenGracefulShutdown { () async throws -> RigName? in
            var isTold = false
            while !Task.isCancelled {
                do {
                    return try await client.status().rig ?? RigName("rig")
                } catch {
                    if !isTold { log.warning("waiting for the coordinator", metadata: ["reason": "\(error)"]) }
                    isTold = true
                }
                try? await time.sleep(for: Self.retryInterval)
            }
            return nil
        }
    }

    /// Checks what everybody may see who reaches the gateway.
    /// - Throws: `UnusablePrivateLine` for a token that may change something; `RigClientError` if the coordinator does not say.
    private func checkAnonymous() async throws {
        guard let anonymous, let file = configuration.anonymousToken else { return }
        do {
            let identity = try await RigClient.$session.withValue(anonymous) { try await client.identity() }
            let further = (identity.session?.permissions ?? identity.permissions).subtracting([.view, .read])
            guard !further.isEmpty else { return }
            let names = Permission.allCases.filter(further.contains).map(\.rawValue).joined(separator: ", ")
            throw UnusablePrivateLine(
                description:
                    "the token in \(file) may do more than look (\(names)); make another one: capctl web token --may view --label wall > \(file)"
            )
        } catch let error as RigClientError where error.code == .refused("sessionEnded") {
            log.warning(
                "requests without a session are refused", metadata: ["file": "\(file)", "reason": "\(error)"])
        }
    }

    /// Decides about a request for a WebSocket as about any other request.
    private func admit(_ head: HTTPRequestHead, _ rig: GatewayRig, _ origins: OwnOrigins) async -> SessionSecret? {
        guard head.uri.split(separator: "?").first.map(String.init) == "/\(rig.path)/live" else { return nil }
        let (host, origin) = (head.headers.first(name: "host"), head.headers.first(name: "origin"))
        guard origins.refusal(host: host, origin: origin) == nil else { return nil }
        let credentials = RequestCredentials(head)
        guard let session = credentials?.session ?? anonymous else { return nil }
        do {
            if let credentials { try await rig.confirm(credentials) }
            try await rig.check(session, has: .view)
        } catch {
            return nil
        }
        return session
    }

    private func router(
        _ rig: GatewayRig, _ origins: @escaping @Sendable () -> OwnOrigins
    ) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: OriginMiddleware(origins: origins))
        router.add(middleware: IdempotencyMiddleware(time: time))
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: SessionMiddleware(rig: rig, anonymous: anonymous))
        router.add(middleware: ConditionMiddleware())
        router.get("api/v1/rig") { _, _ in try Response.json(RigAddress(rig)) }
        let group = router.group(RouterPath(rig.path))
        SignInRoutes(rig: rig, isSecure: configuration.transport.isSecure).add(to: group)
        RigRoutes(rig: rig).add(to: group)
        HistoryRoutes(rig: rig).add(to: group)
        ShotRoutes(rig: rig).add(to: group)
        TakeRoutes(rig: rig).add(to: group)
        SettingsRoutes(rig: rig).add(to: group)
        ProfileRoutes(rig: rig).add(to: group)
        MatchRoutes(rig: rig).add(to: group)
        HoldRoutes(rig: rig).add(to: group)
        FileRoutes(rig: rig).add(to: group)
        ExportRoutes(rig: rig).add(to: group)
        MovieRoutes(rig: rig).add(to: group)
        SmallPictureRoutes(rig: rig).add(to: group)
        SpoolRoutes(rig: rig).add(to: group)
        KeyRoutes(rig: rig).add(to: group)
        AuditRoutes(rig: rig).add(to: group)
        MetricRoutes(rig: rig, mqtt: mqttFigures).add(to: router)
        PictureRoutes(rig: rig).add(to: group)
        EventRoutes(rig: rig).add(to: group)
        group.get("live") { _, context -> Response in
            try await rig.check(context.session, has: .view)
            var response = GatewayProblem(.upgradeRequired, "upgradeRequired", "this path is a WebSocket").response()
            response.headers[.upgrade] = "websocket"
            return response
        }
        router.get("**") { request, context in
            guard
                let response = page.response(to: request, path: context.parameters.getCatchAll().joined(separator: "/"))
            else {
                throw GatewayProblem(.notFound, "notFound", "there is nothing at \(request.uri.path)")
            }
            return response
        }
        router.get("") { request, _ in
            guard let response = page.response(to: request, path: "index.html") else { throw HTTPError(.notFound) }
            return response
        }
        return router
    }
}

/// The rig that a gateway serves, for whoever does not know it yet.
private struct RigAddress: Encodable {
    /// Whether movies can be downloaded as MP4.
    var encodesMovies: Bool
    /// Where everything about the rig is.
    var path: String
    var rig: String

    init(_ rig: GatewayRig) {
        (encodesMovies, path, self.rig) = (rig.movies.isPossible, rig.path, "\(rig.name)")
    }
}
