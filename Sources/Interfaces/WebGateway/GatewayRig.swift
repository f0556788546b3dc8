internal import CaptureModel
internal import HTTPTypes
internal import Logging
internal import RigClient
internal import RigSecurity

/// One rig as the gateway reaches it, for all requests and pages.
struct GatewayRig: Sendable {
    let name: RigName
    let client: RigClient
    let pictures: PictureHub
    let turner: PictureTurner
    let watch: RigWatch
    let presence: Presence
    let history: HistoryKeeper
    let exports = ExportPlaces()
    let movies: MovieDownloads
    let matches: MatchRuns
    let sessions: ConfirmedSessions
    let connections: OpenConnections
    let time: any TimeSource
    let log: Logger

    init(
        _ name: RigName, client: RigClient, movies: MovieDownloads, turner: PictureTurner, time: any TimeSource,
        log: Logger
    ) {
        self.name = name
        self.client = client
        self.movies = movies
        self.turner = turner
        self.time = time
        self.log = log
        watch = RigWatch(client: client, time: time)
        pictures = PictureHub(client: client, watch: watch, time: time)
        presence = Presence(time: time)
        history = HistoryKeeper(client: client, time: time)
        matches = MatchRuns(time: time, log: log)
        sessions = ConfirmedSessions()
        connections = OpenConnections(sessions: sessions, time: time)
    }

    /// The path below which everything about the rig is.
    var path: String { "api/v1/rigs/\(name)" }

    /// Asks the coordinator in the name of a session.
    func with<Value>(
        _ session: SessionSecret?, _ body: (RigClient) async throws -> Value
    ) async throws -> Value {
        guard let session else { throw GatewayProblem.noSession }
        return try await RigClient.$session.withValue(session) { try await body(client) }
    }

    /// Has the coordinator confirm a session, unless it did so within the last minute.
    /// - Throws: ``GatewayProblem`` for a token that is sent as a cookie, and `RigClientError` if it is not a session. If the coordinator does not
    ///   say, nothing is thrown: the request itself is answered with the reason.
    func confirm(_ credentials: RequestCredentials) async throws {
        guard let kind = try await kind(of: credentials.session), credentials.isCookie, kind != .browser else { return }
        throw GatewayProblem.tokenAsCookie
    }

    private func kind(of session: SessionSecret) async throws -> RigSession.Kind? {
        if let kind = sessions.kind(of: session, at: time.now()) { return kind }
        do {
            let identity = try await with(session) { try await $0.identity() }
            guard let kind = identity.session?.kind else { return nil }
            sessions.confirm(session, kind, at: time.now())
            connections.confirmed(session)
            return kind
        } catch let error as RigClientError where error.code != .refused("sessionEnded") {
            return nil
        }
    }

    /// Checks that a session has a permission, for what the gateway answers without asking the coordinator.
    /// - Throws: ``GatewayProblem``, `RigClientError`.
    func check(_ session: SessionSecret?, has permission: Permission) async throws {
        try Self.check(try await with(session) { try await $0.identity() }, has: permission)
    }

    static func check(_ identity: RigIdentity, has permission: Permission) throws {
        guard identity.permissions.contains(permission) else {
            throw GatewayProblem(
                .forbidden, "notPermitted",
                "this session of \(identity.principal) does not have the permission '\(permission.rawValue)'; sign in with a "
                    + "link or token that has it")
        }
    }
}

/// What is known of a session.
enum SessionStanding: Sendable {
    case valid
    /// It has ended, or lacks the permission.
    case refused(GatewayProblem)
    /// The coordinator did not say: it does not answer, or is too busy.
    case unknown(String)

    /// What the failure of a request says that was made in its name.
    init(_ error: any Error) {
        switch error {
        case let problem as GatewayProblem: self = .refused(problem)
        case let error as RigClientError
        where [.refused("sessionEnded"), .refused("notPermitted")].contains(error.code):
            self = .refused(GatewayProblem(error))
        default: self = .unknown("\(error)")
        }
    }

    /// Asks the coordinator.
    static func asked(
        of session: SessionSecret?, needing permission: Permission, _ client: RigClient
    ) async -> SessionStanding {
        do {
            guard let session else { throw GatewayProblem.noSession }
            let identity = try await RigClient.$session.withValue(session) { try await client.identity() }
            try GatewayRig.check(identity, has: permission)
            return .valid
        } catch {
            return SessionStanding(error)
        }
    }
}
