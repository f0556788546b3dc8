import CALSA

/// A capture device of a sound card of this machine.
public struct PCMDevice: Hashable, Sendable {
    /// The kernel's number of the card, which depends on the order of plugging.
    public var card: Int
    /// The number of the device on its card.
    public var device: Int
    /// The card's word, such as `Webcam`; of two alike the kernel numbers the second.
    public var cardID: String
    /// The card's name for people.
    public var cardName: String
    /// The device's name for people.
    public var deviceName: String

    /// libasound's name of it, by the card's word, without conversion.
    public var name: String { "hw:CARD=\(cardID),DEV=\(device)" }

    /// The capture devices that this process may look at, by card; none where there is no sound.
    ///
    /// Opens each card's control device for a moment; nothing is captured.
    public static func all() -> [PCMDevice] {
        var found = [calsa_device](repeating: calsa_device(), count: maximumCount)
        let count = unsafe calsa_list_devices(&found, found.count)
        return found.prefix(count).map(PCMDevice.init)
    }

    /// More than the kernel's 32 cards have together in practice.
    private static let maximumCount = 128

    private init(_ device: calsa_device) {
        card = Int(device.card)
        self.device = Int(device.device)
        cardID = Self.text(device.card_id)
        cardName = Self.text(device.card_name)
        deviceName = Self.text(device.device_name)
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
