internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// The rig and its devices.
struct RigRoutes {
    let rig: GatewayRig

    private struct SessionAction: Decodable {
        enum Action: String, Decodable, CaseIterable {
            case start, stop, resume, `switch`
        }

        var action: Action
        var force: Bool?
        var replacement: DeviceName?

        enum Command {
            case start, stop(force: Bool), resume, switchInput(DeviceName)
        }

        var command: Command {
            get throws {
                switch (action, replacement) {
                case (.start, nil): return .start
                case (.stop, nil): return .stop(force: force ?? false)
                case (.resume, nil): return .resume
                case (.switch, let replacement?) where force == nil: return .switchInput(replacement)
                case (.switch, _):
                    throw GatewayProblem.member(
                        force == nil ? "replacement" : "force",
                        "the action 'switch' needs a 'replacement', another camera of the node, and has no 'force'")
                case (_, _?): throw GatewayProblem.member("replacement", "only the action 'switch' has a 'replacement'")
                }
            }
        }
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("status") { _, context in
            try await rig.with(context.session) { client in
                let (status, devices) = try await client.state()
                return try Response.json(StatusDocument(status, devices: devices))
            }
        }
        group.get("devices") { _, context in
            try Response.json(DevicesDocument(try await rig.with(context.session) { try await $0.devices() }))
        }
        group.get("devices/:node/:device") { _, context in
            let device = try Self.device(context)
            return try Response.json(
                DeviceDetailsDocument(try await rig.with(context.session) { try await $0.describe(device) }))
        }
        group.post("devices/:node/:device/session") { request, context in
            let device = try Self.device(context)
            let command = try await request.document(SessionAction.self).command
            let result = try await rig.with(context.session) { client in
                switch command {
                case .start: try await client.startSession(of: device)
                case .stop(let force): try await client.stopSession(of: device, force: force)
                case .resume: try await client.resumeSession(of: device)
                case .switchInput(let replacement): try await client.switchInput(of: device, to: replacement)
                }
            }
            return try Response.json(SessionDocument(result.device, .success(result)))
        }
        group.get("devices/:node/:device/session/replacements/:replacement") { _, context in
            let (device, replacement) = (try Self.device(context), try Self.replacement(context))
            let objection = try await rig.with(context.session) {
                try await $0.objection(toSwitching: device, to: replacement)
            }
            return try Response.json(SwitchAnswerDocument(device, to: replacement, objection))
        }
        group.patch("devices/:node/:device/controls") { request, context in
            let (device, controls) = (try Self.device(context), try await request.document([String: Int64].self))
            let values = try await rig.with(context.session) { client in
                try await client.setControls(of: device, controls)
            }
            return try Response.json(ControlValuesDocument(device, values: values))
        }
    }

    private static func replacement(_ context: GatewayContext) throws -> DeviceName {
        let text = try context.parameter("replacement")
        do {
            return try DeviceName(text)
        } catch {
            throw GatewayProblem(.notFound, "unknownDevice", "'\(text)' is not a device: \(error)")
        }
    }

    /// The device that a path names by two segments.
    static func device(_ context: GatewayContext) throws -> DeviceID {
        let text = "\(try context.parameter("node"))/\(try context.parameter("device"))"
        do {
            return try DeviceID(text)
        } catch {
            throw GatewayProblem(.notFound, "unknownDevice", "'\(text)' is not a device: \(error)")
        }
    }
}
