internal import HTTPTypes
internal import Hummingbird
internal import RigSecurity

/// `/history`: figures of the last hour.
struct HistoryRoutes {
    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("history") { _, context in
            try await rig.check(context.session, has: .view)
            return try Response.json(await rig.history.document)
        }
    }
}
