/// How late a control of a camera acts, as it was measured.
public struct ControlDelay: Hashable, Sendable {
    /// The most frames that a camera may be late.
    public static let limit = 60
    /// The most controls of a request.
    public static let countLimit = 64
    /// The greatest value of ``middleThousandths``.
    public static let middleLimit = (limit + 2) * 1000

    /// By the driver's name.
    public let control: String
    /// How many frames have the old value after the camera has accepted the new one.
    public let fewest: Int
    public let most: Int
    /// The middle of the range of times from the acceptance to the middle of exposure of the first frame with the new value, in
    /// thousandths of the time from frame to frame.
    public let middleThousandths: Int

    /// - Returns: nil for values out of range.
    public init?(_ control: String, fewest: Int, most: Int, middleThousandths: Int) {
        guard 0 <= fewest, fewest <= most, most <= Self.limit, (0...Self.middleLimit).contains(middleThousandths),
            DriverRequest(control, 0) != nil
        else { return nil }
        (self.control, self.fewest, self.most, self.middleThousandths) = (control, fewest, most, middleThousandths)
    }
}
