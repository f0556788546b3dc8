public import CaptureModel
public import RigProtocol
import SwiftProtobuf

extension WireKeepDelays {
    /// Checks and returns the delays: at least one, each control once.
    public func checked() throws(WireError) -> [ControlDelay] {
        let reader = FieldReader("KeepDelays")
        let read = try reader.list(delays, "delays", limit: ControlDelay.countLimit)
            .map { (delay) throws(WireError) in try ControlDelay(wire: delay) }
        guard !read.isEmpty, Set(read.map(\.control)).count == read.count else {
            throw reader.invalid("delays", "must name at least one control, and each once")
        }
        return read
    }
}

extension ControlDelay {
    public init(wire: WireControlDelay) throws(WireError) {
        let read = ControlDelay(
            wire.control, fewest: Int(wire.fewest), most: Int(wire.most), middleThousandths: Int(wire.middleThousandths)
        )
        guard let read else {
            throw FieldReader("ControlDelay").invalid(
                "delays", "must be a control's name, and 0 to \(Self.limit) frames, at least and at most")
        }
        self = read
    }

    public var wire: WireControlDelay {
        .with {
            $0.control = control
            ($0.fewest, $0.most) = (UInt32(fewest), UInt32(most))
            $0.middleThousandths = UInt32(middleThousandths)
        }
    }
}
