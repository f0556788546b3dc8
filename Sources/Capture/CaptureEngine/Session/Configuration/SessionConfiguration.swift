public import CameraKit
public import CaptureModel

/// The configuration of a session, as a value: change it as needed, then pass it to
/// ``CaptureSession/commitConfiguration(_:)``, which applies all of it or nothing.
///
/// A session has one input for video. Adding an output connects it to the input.
public struct SessionConfiguration: Sendable {
    /// The commit from which this configuration began. Another commit in between makes it outdated.
    public let revision: UInt64
    /// The times and sizes of the session, for its whole lifetime.
    public let policy: SessionPolicy
    public var preset = SessionPreset.inputPriority
    public internal(set) var inputs: [CaptureDeviceInput] = []
    public private(set) var outputs: [CaptureOutputKind] = []
    public internal(set) var connections: [CaptureConnection] = []

    /// Creates the initial configuration of a session.
    public init(
        input: CaptureDeviceInput, preset: SessionPreset = .inputPriority, policy: SessionPolicy = SessionPolicy(),
        outputs: [CaptureOutputKind] = CaptureOutputKind.allCases
    ) {
        revision = 1
        self.policy = policy
        self.preset = preset
        inputs = [input]
        for output in outputs { connect(output) }
    }

    /// Returns the configuration of the next commit, with the same content.
    func next() -> SessionConfiguration {
        SessionConfiguration(copying: self, revision: revision &+ 1)
    }

    private init(copying other: SessionConfiguration, revision: UInt64) {
        self.revision = revision
        policy = other.policy
        (preset, inputs, outputs, connections) = (other.preset, other.inputs, other.outputs, other.connections)
    }

    // MARK: Inputs

    /// Adds an input and connects it to every output.
    public mutating func addInput(_ input: CaptureDeviceInput) throws(ConfigurationFailure) {
        if let objection = objection(toAdding: input) { throw ConfigurationFailure(.validate, objection.message) }
        inputs.append(input)
        for output in outputs { connect(output, input) }
    }

    /// Removes an input with its connections. Does nothing if it is not present.
    public mutating func removeInput(_ device: DeviceID) {
        inputs.removeAll { $0.device.id == device }
        connections.removeAll { $0.input == device }
    }

    // MARK: Outputs

    /// Adds an output and connects it to the input.
    public mutating func addOutput(_ output: CaptureOutputKind) throws(ConfigurationFailure) {
        if let objection = objection(toAdding: output) { throw ConfigurationFailure(.validate, objection.message) }
        connect(output)
    }

    /// Removes an output with its connections. Does nothing if it is not present.
    public mutating func removeOutput(_ output: CaptureOutputKind) {
        outputs.removeAll { $0 == output }
        connections.removeAll { $0.output == output }
    }

    private mutating func connect(_ output: CaptureOutputKind) {
        outputs.append(output)
        for input in inputs { connect(output, input) }
    }

    private mutating func connect(_ output: CaptureOutputKind, _ input: CaptureDeviceInput) {
        let description = input.device.description
        connections.append(
            CaptureConnection(
                input: description.id, output: output, orientation: orientation ?? description.orientation,
                isVideoMirrored: isVideoMirrored ?? description.mirrored ?? false))
    }

    // MARK: Connections

    /// Returns the connection that feeds an output.
    public func connection(to output: CaptureOutputKind) -> CaptureConnection? {
        connections.first { $0.output == output }
    }

    /// Enables or disables frames to an output.
    public mutating func setEnabled(_ isEnabled: Bool, _ output: CaptureOutputKind) {
        for index in connections.indices where connections[index].output == output {
            connections[index].isEnabled = isEnabled
        }
    }

    /// The orientation that all connections share; nil if there are none.
    public var orientation: Orientation? { connections.first?.orientation }

    /// Sets the rotation of the pictures of every connection.
    public mutating func setOrientation(_ orientation: Orientation) {
        for index in connections.indices { connections[index].orientation = orientation }
    }

    /// Whether the pictures of all connections are mirrored; nil if there are none.
    public var isVideoMirrored: Bool? { connections.first?.isVideoMirrored }

    /// Sets whether left and right are exchanged in the pictures of every connection.
    public mutating func setVideoMirrored(_ isVideoMirrored: Bool) {
        for index in connections.indices { connections[index].isVideoMirrored = isVideoMirrored }
    }

    /// Returns the input from which a session gets its frames.
    /// - Throws: If there is none. A session cannot have such a configuration.
    func videoInput() throws(ConfigurationFailure) -> CaptureDeviceInput {
        guard let input = inputs.first else {
            throw ConfigurationFailure(.validate, "a session needs an input; add one")
        }
        return input
    }
}

extension SessionConfiguration {
    /// Returns this configuration with the input of another one instead of its own.
    ///
    /// Outputs stay enabled or disabled as they are. Orientation and mirroring belong to a camera in its place, so they
    /// are taken from the other configuration.
    public func replacingInput(by other: SessionConfiguration) -> SessionConfiguration {
        var changed = self
        changed.inputs = other.inputs
        changed.connections = other.inputs.flatMap { input in
            let description = input.device.description
            return connections.map { connection in
                CaptureConnection(
                    input: description.id, output: connection.output, isEnabled: connection.isEnabled,
                    orientation: other.orientation ?? description.orientation,
                    isVideoMirrored: other.isVideoMirrored ?? description.mirrored ?? false)
            }
        }
        return changed
    }

    /// Returns the configuration with another object for the device of its input, such as one that corrects its stamps in
    /// another way.
    public func replacingCamera(by camera: any Camera) -> SessionConfiguration {
        var changed = self
        changed.inputs = inputs.map { input in
            CaptureDeviceInput(
                device: CaptureDevice(description: input.device.description, camera: camera), format: input.format,
                maxPhotoDimensions: input.maxPhotoDimensions, raw: input.raw)
        }
        return changed
    }
}

/// A session's configuration, with its resolved values.
struct SessionSetup: Sendable {
    var configuration: SessionConfiguration
    /// The configuration's input.
    var input: CaptureDeviceInput
    /// The concrete format requested from the camera; nil until the preset is resolved, which needs the camera.
    var format: FormatRequest?

    /// Creates a setup. A preset that needs the camera is not resolved.
    /// - Throws: If a session cannot have the configuration.
    init(_ configuration: SessionConfiguration) throws(ConfigurationFailure) {
        input = try configuration.videoInput()
        self.configuration = configuration
        format = configuration.preset == .inputPriority ? input.format : nil
    }

    /// The input's device, with the orientation and mirroring of its connections.
    var device: DeviceDescription {
        var description = input.device.description
        description.orientation = configuration.orientation ?? description.orientation
        if let isMirrored = configuration.isVideoMirrored { description.mirrored = isMirrored ? true : nil }
        return description
    }

    /// Returns whether frames pass to an output.
    func isEnabled(_ output: CaptureOutputKind) -> Bool { configuration.connection(to: output)?.isEnabled == true }

    /// Returns whether the camera must be closed for this setup to take effect.
    func needsOtherHardware(than old: SessionSetup) -> Bool {
        input.device.id != old.input.device.id || format != old.format
            || input.device.camera.stamps?.correction != old.input.device.camera.stamps?.correction
    }
}
