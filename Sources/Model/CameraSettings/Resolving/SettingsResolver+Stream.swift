import CaptureModel

extension SettingsResolver {
    /// Resolves a format or a frame duration.
    mutating func streamResult(_ request: SettingRequest) throws(SettingRefusal) -> SettingOutcome.Result {
        switch request.value {
        case .format(let format):
            guard !offers(of: format).isEmpty else {
                throw SettingRefusal("the camera does not offer it; it offers \(camera.formatText)")
            }
            changeStream { $0.format = format }
            if settings[.minimumFrameDuration] == nil, settings[.maximumFrameDuration] == nil {
                note("format resets the frame durations to the default of the format")
            }
            return .set(request.value)
        case .current: return .set(try presentStream(request.setting))
        default:
            let interval = try frameInterval()
            changeStream { $0.frameIntervalNanoseconds = interval.count }
            guard case .quantity(let quantity) = request.value, !Self.isSame(interval.count, quantity.count) else {
                return .set(request.value)
            }
            return .rounded(to: .quantity(interval))
        }
    }

    /// Drivers round fractions of a second to nanoseconds differently.
    private static let tolerance: Int64 = 1000

    private static func isSame(_ one: Int64, _ other: Int64) -> Bool {
        (-Int128(tolerance)...Int128(tolerance)).contains(Int128(one) - Int128(other))
    }

    private func presentStream(_ setting: CaptureSetting) throws(SettingRefusal) -> SettingValue {
        guard let value = camera.presentStream(setting) else {
            throw SettingRefusal("the camera does not stream, so that there is no present value")
        }
        return value
    }

    private func offers(of format: RequestedFormat) -> [SizeOffer] {
        camera.capabilities.formats.filter { $0.pixelFormat == format.pixelFormat }.flatMap(\.sizes)
            .filter { $0.widths.contains(format.width) && $0.heights.contains(format.height) }
    }

    /// Returns the frame interval for both durations of the request.
    private func frameInterval() throws(SettingRefusal) -> PhysicalQuantity {
        let format: RequestedFormat?
        if case .format(let requested) = settings[.format] { format = requested } else { format = camera.activeFormat }
        guard let format else {
            throw SettingRefusal("the camera does not stream; name a format in the same request")
        }
        let intervals = offers(of: format).flatMap(\.intervals).filter {
            $0.shortestNanoseconds > 0 && $0.shortestNanoseconds <= $0.longestNanoseconds
        }
        guard !intervals.isEmpty else {
            throw SettingRefusal("the driver does not report the frame rates of \(format)")
        }
        let (least, most) = (bound(.minimumFrameDuration), bound(.maximumFrameDuration))
        let low = least.map { $0 - Self.tolerance } ?? 0
        let high = most.map { $0 > .max - Self.tolerance ? $0 : $0 + Self.tolerance } ?? .max
        let fitting = intervals.compactMap { offer -> Int64? in
            guard offer.shortestNanoseconds <= high, offer.longestNanoseconds >= low, low <= high else { return nil }
            guard let least else { return min(offer.longestNanoseconds, most ?? .max) }
            return max(offer.shortestNanoseconds, min(least, offer.longestNanoseconds))
        }
        guard let chosen = least == nil ? fitting.max() : fitting.min(),
            let quantity = PhysicalQuantity(chosen, .duration)
        else {
            let ends = intervals.flatMap { [$0.shortestNanoseconds, $0.longestNanoseconds] }.sorted()
            let texts = [ends.first, ends.last].compactMap { $0.flatMap { PhysicalQuantity($0, .duration) } }
            throw SettingRefusal(
                "\(format) offers no frame interval within the request; it offers \(texts.map(\.description).joined(separator: " to "))"
            )
        }
        return quantity
    }

    private func bound(_ setting: CaptureSetting) -> Int64? {
        switch settings[setting] {
        case .quantity(let quantity): quantity.count
        case .current: camera.format?.frameInterval.nanoseconds
        default: nil
        }
    }
}

extension SettableCamera {
    /// The format of the stream; nil if it does not stream.
    var activeFormat: RequestedFormat? {
        format.flatMap { RequestedFormat($0.pixelFormat, width: $0.width, height: $0.height) }
    }

    /// Returns the present value of a setting of the stream.
    func presentStream(_ setting: CaptureSetting) -> SettingValue? {
        guard setting != .format else { return activeFormat.map(SettingValue.format) }
        return format.flatMap { PhysicalQuantity($0.frameInterval.nanoseconds, .duration) }.map(SettingValue.quantity)
    }

    /// The formats on offer, each as the text grammar writes it; at most eight.
    var formatTexts: [String] {
        var texts: [String] = []
        for offer in capabilities.formats {
            for size in offer.sizes {
                let text = "\(offer.pixelFormat.rawValue):\(size.widths.largest)x\(size.heights.largest)"
                if !texts.contains(text) { texts.append(text) }
            }
        }
        return texts
    }

    fileprivate var formatText: String {
        let texts = formatTexts
        guard !texts.isEmpty else { return "no format" }
        return texts.prefix(8).joined(separator: ", ") + (texts.count > 8 ? " and \(texts.count - 8) more" : "")
    }
}

extension PixelRange {
    fileprivate func contains(_ count: Int) -> Bool {
        guard count >= smallest, count <= largest else { return false }
        return (Int128(count) - Int128(smallest)) % Int128(max(step, 1)) == 0
    }
}
