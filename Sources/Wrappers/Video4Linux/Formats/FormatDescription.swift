import CVideo4Linux

/// A pixel format a device offers.
public struct FormatDescription: Hashable, Sendable {
    public var format: FourCC
    /// The driver's words for it, such as `Motion-JPEG`.
    public var name: String

    public init(format: FourCC, name: String) {
        self.format = format
        self.name = name
    }

    init(_ description: cv4l_format_description) {
        self.init(format: FourCC(rawValue: description.fourcc), name: fixedText(description.description))
    }
}
