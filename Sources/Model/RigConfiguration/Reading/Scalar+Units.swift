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

extension Scalar<String> {
    /// Text for people: not empty, without control characters.
    public static func text(limit: Int) -> Scalar {
        Scalar { text throws(ScalarFault) in
            let count = text.utf8.count
            guard count <= limit else { throw ScalarFault("has \(count) bytes; at most \(limit) are allowed") }
            guard text.contains(where: { !$0.isWhitespace }) else { throw ScalarFault("must not be empty") }
            guard !text.hasUnprintable else {
                throw ScalarFault("must not contain line breaks or other control characters")
            }
            return text
        }
    }

    /// A word of an open set, as selections use it: up to 64 bytes, without spaces.
    public static var word: Scalar {
        Scalar.text(limit: 64).map { text throws(ScalarFault) in
            guard !text.contains(where: \.isWhitespace) else { throw ScalarFault("'\(text)' must not contain spaces") }
            return text
        }
    }

    /// A path in the file system, as ``YAMLValue/filePath()`` reads it.
    static var path: Scalar { text(limit: 1024) }

    /// An absolute path, such as that of a device.
    public static var absolutePath: Scalar {
        path.map { text throws(ScalarFault) in
            guard text.hasPrefix("/") else { throw ScalarFault("'\(text.excerpt)' must begin with '/'") }
            return text
        }
    }

    /// A host name or address to listen on; `*` is every address.
    public static var host: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let host = ListenHost.parse(text) else {
                throw ScalarFault("'\(text.excerpt)' is not a host name or address, such as '127.0.0.1'")
            }
            return host
        }
    }
}

extension Scalar<TCPEndpoint> {
    public static var endpoint: Scalar {
        Scalar { text throws(ScalarFault) in
            do throws(EndpointFault) {
                return try TCPEndpoint(parsing: text)
            } catch {
                throw ScalarFault(error.description)
            }
        }
    }
}
