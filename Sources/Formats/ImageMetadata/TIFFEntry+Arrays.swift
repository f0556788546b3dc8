/// Fields of several values, as TIFF and DNG have them.
extension TIFFEntry {
    package static func shorts(_ tag: UInt16, _ values: [UInt16]) -> TIFFEntry {
        numbers(tag, type: 3, values)
    }

    package static func longs(_ tag: UInt16, _ values: [UInt32]) -> TIFFEntry {
        numbers(tag, type: 4, values)
    }

    /// Small numbers, as against bytes whose meaning the tag gives.
    package static func octets(_ tag: UInt16, _ values: [UInt8]) -> TIFFEntry {
        numbers(tag, type: 1, values)
    }

    package static func rationals(_ tag: UInt16, _ values: [EXIFRational]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values {
            bytes.appendBigEndian(value.numerator)
            bytes.appendBigEndian(value.denominator)
        }
        return TIFFEntry(tag: tag, type: 5, count: UInt32(clamping: values.count), value: bytes)
    }

    /// Fractions with a sign, to a ten-thousandth; a number beyond ±200000 becomes 0.
    package static func signedRationals(_ tag: UInt16, _ values: [Double]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values {
            bytes.appendBigEndian(Int32(exactly: (value * 10_000).rounded()) ?? 0)
            bytes.appendBigEndian(Int32(10_000))
        }
        return TIFFEntry(tag: tag, type: 10, count: UInt32(clamping: values.count), value: bytes)
    }

    private static func numbers(_ tag: UInt16, type: UInt16, _ values: [some FixedWidthInteger]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values { bytes.appendBigEndian(value) }
        return TIFFEntry(tag: tag, type: type, count: UInt32(clamping: values.count), value: bytes)
    }
}
