public import CaptureModel
public import RigConfiguration

extension AgentConfiguration {
    /// A node with virtual cameras, which needs no hardware: the agent's default, and what a demo is made of.
    ///
    /// The cameras run free, each with a phase of its own, as real ones do.
    /// - Parameters:
    ///   - cameras: Number of cameras, called `cam0` and so on; 1 to 128, others are taken as the nearest.
    ///   - firstNumber: The number the first camera draws into its time code; unique in the rig for every camera.
    ///   - spoolFolder: nil for the default.
    public static func virtualRig(
        node: NodeName, cameras: Int, firstNumber: UInt16 = 1, width: Int = 1280, height: Int = 720,
        framesPerSecond: Double = 30, coordinator: TCPEndpoint = TCPEndpoint(host: "127.0.0.1", port: 7710),
        spoolFolder: String? = nil
    ) -> AgentConfiguration {
        let devices = (0..<min(max(cameras, 1), DeviceConfiguration.maximumCount)).compactMap { index in
            var source = VirtualCameraConfiguration()
            source.number = firstNumber &+ UInt16(index)
            (source.width, source.height, source.framesPerSecond) = (width, height, framesPerSecond)
            source.phaseMilliseconds = phase(of: source.number, framesPerSecond)
            return device(index, source)
        }
        let spool = spoolFolder.map { Spool(folder: $0) } ?? Spool()
        return AgentConfiguration(node: node, coordinator: coordinator, spool: spool, devices: devices)
    }

    /// Spread over the frame interval by steps that meet no other camera's soon; whole microseconds, for reading.
    private static func phase(of number: UInt16, _ framesPerSecond: Double) -> Double {
        let share = Double(Int(number) * 37 % 100) / 100
        return (share * 1_000_000 / framesPerSecond).rounded() / 1000
    }

    private static func device(_ index: Int, _ source: VirtualCameraConfiguration) -> DeviceConfiguration? {
        guard let name = try? DeviceName("cam\(index)") else { return nil }
        return DeviceConfiguration(
            name: name, type: .wide, position: Position(rawValue: "v\(source.number)"), labels: ["virtual"],
            purpose: "Virtual camera \(source.number), to try the rig without hardware", source: .virtual(source))
    }
}
