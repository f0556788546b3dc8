import CaptureModel

/// What a camera says of its clock and its exposure, as a line of the helper tells it:
///
///     state ID STATUS GRANDMASTER OFFSET CAMERA MONOTONIC ERROR EXPOSURE
///
/// STATUS is the camera's `PtpStatus`, GRANDMASTER has 16 hexadecimal digits, OFFSET is how far its clock is from its master, CAMERA and
/// MONOTONIC are its clock and `CLOCK_MONOTONIC` at one instant, at most ERROR apart, and EXPOSURE is the time for which it exposes. Times
/// are nanoseconds; what is unknown is `-`.
struct CameraReading: Hashable, Sendable {
    /// nil if the camera has no PTP.
    var status: String?
    var grandmaster: UInt64?
    /// How far its clock is ahead of its master, as it says itself.
    var offset: Duration?
    /// Its clock, nanoseconds, not negative.
    var camera: Int64
    /// When that was so.
    var monotonic: LocalTime
    /// How far the two can be apart.
    var error: Duration
    /// nil if an automatic mode decides it.
    var exposure: Duration?

    /// Reads the words behind the id.
    init?(_ words: some Collection<Substring>) {
        let words = Array(words)
        guard words.count == 7, let camera = Int64(words[3]), camera >= 0, let monotonic = Int64(words[4]),
            let error = Int64(words[5]), error >= 0
        else { return nil }
        let known = words.map { $0 == "-" ? nil : String($0) }
        if let text = known[1] {
            guard text.utf8.count == 16, let number = UInt64(text, radix: 16) else { return nil }
            grandmaster = number
        }
        if let text = known[2] {
            guard let number = Int64(text) else { return nil }
            offset = .nanoseconds(number)
        }
        if let text = known[6] {
            guard let number = Int64(text), (1...3_600_000_000_000).contains(number) else { return nil }
            exposure = .nanoseconds(number)
        }
        status = known[0].map { $0.printable() }
        self.camera = camera
        self.monotonic = LocalTime(nanoseconds: monotonic)
        self.error = .nanoseconds(error)
    }
}
