internal import CaptureModel
internal import RigConfiguration
internal import VirtualDevices

extension DemoPlan {
    /// The configuration of a node's agent, as its file. Endpoint and spool are given on the agent's command line.
    func yaml(_ node: Node) throws -> String {
        try AgentConfiguration(node: node.name, devices: node.cameras.map(device)).yaml()
    }

    private func device(_ camera: Camera) -> DeviceConfiguration {
        var source = VirtualCameraConfiguration()
        source.number = camera.number
        source.seed = UInt64(camera.number)
        (source.width, source.height, source.framesPerSecond) = (width, height, Double(framesPerSecond))
        source.phaseMilliseconds = Double(camera.phase.nanoseconds / 1000) / 1000
        return DeviceConfiguration(
            name: camera.name, type: .wide, position: camera.position, labels: ["demo"],
            purpose: "Virtual camera \(camera.number) of the demo, \(camera.position)", source: .virtual(source))
    }
}
