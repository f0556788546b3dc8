public import CaptureModel

/// What a session is made of, as a value: change it as long as needed, then hand it to
/// ``CaptureSession/commitConfiguration(_:)``, which takes all of it over or nothing.
///
/// A session has one input for video. Adding an output connects it to the input.
public struct SessionConfiguration: Sendable {
    /// Which commit this began from; a commit that comes between makes it stale.
    public let revision: UInt64
    /// The times and sizes that the session keeps to, as long as it lives.
    public let policy: SessionPolicy
    public var preset = SessionPreset.inputPriority
    public internal(set) var inputs: [CaptureDeviceInput] = []
    public private(set) var outputs: [CaptureOutputKind] = []
    public internal(set) var connections: [CaptureConnection] = []

    /// What a session begins with.
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

    /// The configuration of the next commit, with the same content.
    func next() -> SessionConfiguration {
        SessionConfiguration(copying: self, revision: revision &+ 1)
    }

    private init(copying other: SessionConfiguration, revision: UInt64) {
        self.revision = revision
        policy = other.policy
        (preset, inputs, outputs, connections) = (other.preset, other.inputs, other.outputs, other.connections)
    }

    // MARK: Inputs

    /// Why an input cannot be added; nil where it can.
    public func objection(toAdding input: CaptureDeviceInput) -> String? {
        if input.device.description.mediaType != .video { return "\(input.device.id) is no camera" }
        guard let present = inputs.first else { return nil }
        return "the session has the input \(present.device.id) already; remove it first"
    }

    public func canAddInput(_ input: CaptureDeviceInput) -> Bool { objection(toAdding: input) == nil }

    /// Adds an input and connects it to every output.
    public mutating func addInput(_ input: CaptureDeviceInput) throws(ConfigurationFailure) {
        if let objection = objection(toAdding: input) { throw ConfigurationFailure(.validate, objection) }
        inputs.append(input)
        for output in outputs { connect(output, input) }
    }

    /// Takes an input away with its connections; harmless where it is not there.
    public mutating func removeInput(_ device: DeviceID) {
        inputs.removeAll { $0.device.id == device }
        connections.removeAll { $0.input == device }
    }

    // MARK: Outputs

    /// Why an output cannot be added; nil where it can.
    public func objection(toAdding output: CaptureOutputKind) -> String? {
        outputs.contains(output) ? "the session has the output \(output.rawValue) already" : nil
    }

    public func canAddOutput(_ output: CaptureOutputKind) -> Bool { objection(toAdding: output) == nil }

    /// Adds an output and connects it to the input.
    public mutating func addOutput(_ output: CaptureOutputKind) throws(ConfigurationFailure) {
        if let objection = objection(toAdding: output) { throw ConfigurationFailure(.validate, objection) }
        connect(output)
    }

    /// Takes an output away with its connections; harmless where it is not there.
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

    /// The connection that feeds an output.
    public func connection(to output: CaptureOutputKind) -> CaptureConnection? {
        connections.first { $0.output == output }
    }

    /// Lets frames go to an output, or not.
    public mutating func setEnabled(_ isEnabled: Bool, _ output: CaptureOutputKind) {
        for index in connections.indices where connections[index].output == output {
            connections[index].isEnabled = isEnabled
        }
    }

    /// The orientation that all connections share; nil where there is none.
    public var orientation: Orientation? { connections.first?.orientation }

    /// Turns the pictures of every connection.
    public mutating func setOrientation(_ orientation: Orientation) {
        for index in connections.indices { connections[index].orientation = orientation }
    }

    /// Whether the pictures of all connections are mirrored; nil where there is none.
    public var isVideoMirrored: Bool? { connections.first?.isVideoMirrored }

    /// Exchanges left and right in the pictures of every connection, or not.
    public mutating func setVideoMirrored(_ isVideoMirrored: Bool) {
        for index in connections.indices { connections[index].isVideoMirrored = isVideoMirrored }
    }

    /// The input that a session takes its frames from.
    /// - Throws: Where there is none: no session can have this configuration.
    func videoInput() throws(ConfigurationFailure) -> CaptureDeviceInput {
        guard let input = inputs.first else {
            throw ConfigurationFailure(.validate, "a session needs an input; add one")
        }
        return input
    }
}
