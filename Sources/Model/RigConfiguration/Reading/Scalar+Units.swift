import CaptureModel

extension Scalar<Duration> {
    public static func duration(_ range: ClosedRange<Duration>) -> Scalar {
        Scalar { text throws(ScalarFault) in
            let value = Duration.nanoseconds(try ScaledUnit.value(of: text, in: Duration.units, example: "250 ms"))
            guard range.contains(value) else {
                let limits = "\(range.lowerBound.configurationText) to \(range.upperBound.configurationText)"
                throw ScalarFault("'\(text.excerpt)' is not within \(limits)")
            }
            return value
        }
    }
}

extension Scalar<ByteCount> {
    public static func byteCount(_ range: ClosedRange<ByteCount>) -> Scalar {
        Scalar { text throws(ScalarFault) in
            let bytes = try ScaledUnit.value(of: text, in: ByteCount.units, example: "512 MiB")
            guard bytes >= 0, range.contains(ByteCount(bytes)) else {
                throw ScalarFault("'\(text.excerpt)' is not within \(range.lowerBound) to \(range.upperBound)")
            }
            return ByteCount(bytes)
        }
    }
}

extension Scalar<TransferRate> {
    /// `unlimited`, or at least a kilobyte per second.
    public static var transferRate: Scalar {
        Scalar { text throws(ScalarFault) in
            if text == "unlimited" { return .unlimited }
            let rate: Int64
            do throws(ScalarFault) {
                rate = try ScaledUnit.value(of: text, in: TransferRate.units, example: "40 MB/s")
            } catch {
                throw ScalarFault("\(error.reason); or 'unlimited'")
            }
            guard rate >= 1000 else { throw ScalarFault("'\(text.excerpt)' is less than 1 kB/s") }
            return .bytesPerSecond(rate)
        }
    }
}
