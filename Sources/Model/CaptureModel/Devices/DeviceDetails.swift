/// All that is known of a device, as its node answers a request.
public struct DeviceDetails: Hashable, Codable, Sendable {
    public var device: DeviceDescription
    public var condition: DeviceCondition
    public var authorization: AuthorizationStatus
    /// What to do if it is not authorized.
    public var remedy: String?
    /// The configuration's identification of the hardware, such as `serial 7A3F0012`.
    public var identity: String?
    /// What it offers; nil if it could not be queried.
    public var capabilities: DeviceCapabilities?
    /// Whether it offers more than a message can hold.
    public var isCut: Bool
    /// Why it could not be queried.
    public var obstacle: RigProblem?

    public init(
        device: DeviceDescription, condition: DeviceCondition, authorization: AuthorizationStatus,
        remedy: String? = nil, identity: String? = nil, capabilities: DeviceCapabilities? = nil, isCut: Bool = false,
        obstacle: RigProblem? = nil
    ) {
        self.device = device
        self.condition = condition
        self.authorization = authorization
        self.remedy = remedy
        self.identity = identity
        self.capabilities = capabilities
        self.isCut = isCut
        self.obstacle = obstacle
    }
}
