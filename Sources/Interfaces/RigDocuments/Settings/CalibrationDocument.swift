public import CaptureModel

/// What `capctl settings calibrate` has measured, as JSON.
public struct CalibrationDocument: Encodable, Sendable {
    var cameras: [Camera]

    public init(cameras: [Camera]) { self.cameras = cameras }

    public struct Camera: Encodable, Sendable {
        var controls: [Control]
        var device: String
        /// At the machine of its node; absent if nothing was kept.
        var file: String?
        /// Why nothing was measured or kept, or the values are not put back.
        var problem: String?

        public init(device: String, file: String?, problem: String?, controls: [Control]) {
            (self.device, self.file, self.problem, self.controls) = (device, file, problem, controls)
        }
    }

    public struct Control: Encodable, Sendable {
        /// Frames with the old value after the acceptance.
        var fewest: Int?
        /// From the acceptance to the middle of exposure of the first frame with the new value, in frame intervals.
        var middle: Double?
        var most: Int?
        var name: String
        /// Why it was not measured.
        var problem: String?
        /// The steps that were seen.
        var samples: Int

        public init(name: String, samples: Int, delay: ControlDelay?, problem: String?) {
            (self.name, self.samples, self.problem) = (name, samples, problem)
            (fewest, most) = (delay?.fewest, delay?.most)
            middle = delay.map { Double($0.middleThousandths) / 1000 }
        }
    }
}
