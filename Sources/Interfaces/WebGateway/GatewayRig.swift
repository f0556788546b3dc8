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
    let watch: RigWatch
    let presence: Presence
    let exports = ExportPlaces()
    let time: any TimeSource
    let log: Logger

    init(_ name: RigName, client: RigClient, time: any TimeSource, log: Logger) {
        self.name = name
        self.client = client
        self.time = time
        self.log = log
        pictures = PictureHub(client: client, time: time)
        watch = RigWatch(client: client, time: time)
        presence = Presence(time: time)
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

    /// Checks that a session has a permission, for what the gateway answers without asking the coordinator.
    /// - Throws: ``GatewayProblem``, `RigClientError`.
    func check(_ session: SessionSecret?, has permission: Permission) async throws {
        let identity = try await with(session) { try await $0.identity() }
        guard identity.permissions.contains(permission) else {
            throw GatewayProblem(
                .forbidden, "notPermitted",
                "\(identity.principal) does not have the permission '\(permission.rawValue)'; an administrator of the rig can "
                    + "grant it")
        }
    }

    /// What is known of a session.
    enum Standing {
        case valid
        /// It has ended, or lacks the permission.
        case refused(GatewayProblem)
        /// The coordinator did not say: it does not answer, or is too busy.
        case unknown(String)
    }

    func standing(of session: SessionSecret?, needing permission: Permission) async -> Standing {
        do {
            try await check(session, has: permission)
            return .valid
        } catch let problem as GatewayProblem {
            return .refused(problem)
        } catch let error as RigClientError where error.code == .refused("sessionEnded") {
            return .refused(GatewayProblem(error))
        } catch let error as RigClientError where error.code == .refused("notPermitted") {
            return .refused(GatewayProblem(error))
        } catch {
            return .unknown("\(error)")
        }
    }
}
