/// What a camera is asked to hold: the values that it gets whenever it is opened.
public struct HeldSettings: Hashable, Sendable {
    /// The transaction that was the last to change them; nil if there is none, or a client has set a control by name since.
    public var revision: SettingsID?
    /// The hardware whose values these are; nil if it does not say.
    public var make: String?
    public var model: String?
    /// The hardware that the camera was when it was last open; unknown if it was not since its agent has started.
    public var present: HardwareModel
    /// By the driver's names, as the camera has accepted them; empty if nothing is kept for it.
    public var settings: CaptureSettings
    /// Transactions whose settings wait for the camera's start.
    public var waiting: [SettingsID]

    public init(
        revision: SettingsID? = nil, make: String? = nil, model: String? = nil,
        present: HardwareModel = HardwareModel(make: nil, model: nil),
        settings: CaptureSettings = CaptureSettings(), waiting: [SettingsID] = []
    ) {
        self.revision = revision
        self.make = make
        self.model = model
        self.present = present
        self.settings = settings
        self.waiting = waiting
    }
}
