internal import CameraSettings
internal import CaptureModel
internal import RigDocuments

/// The description of one device.
struct DeviceDetailsReport: Report {
    var details: DeviceDetails

    var document: DeviceDetailsDocument { DeviceDetailsDocument(details) }

    var table: String {
        let sections = [facts, formats, settings, controls].filter { !$0.isEmpty }
        return sections.joined(separator: "\n")
    }

    private var facts: String {
        let (device, condition) = (details.device, details.condition)
        let hardware = [device.make, device.model, device.serial].compactMap(\.self).joined(separator: ", ")
        let rows: [(String, String?)] = [
            ("device", device.id.description), ("type", "\(device.type), \(device.position)"),
            ("labels", device.labels.isEmpty ? nil : device.labels.joined(separator: " ")),
            ("purpose", device.purpose), ("orientation", device.orientationText), ("driver", device.driver),
            ("hardware", hardware.isEmpty ? nil : hardware),
            ("identity", details.identity), ("authorization", details.authorization.rawValue),
            ("remedy", details.remedy), ("state", condition.state.rawValue), ("reason", condition.reason),
            ("format", condition.format?.description), ("larger still", largerPhoto(condition)),
            ("raw", condition.session.map { $0.abilities.raw.reason ?? "enabled" }),
            ("flash", condition.session.map { $0.abilities.flash.reason ?? "available" }),
            ("Live Photos", livePhotos(condition)),
            ("obstacle", details.obstacle?.message),
        ]
        return rows.compactMap { name, value in value.map { "\(padded(name))  \(Table.printable($0))\n" } }.joined()
    }

    /// The largest stills beyond the stream's frames, or why there are none.
    private func largerPhoto(_ condition: DeviceCondition) -> String? {
        guard let session = condition.session else { return nil }
        guard let larger = session.largerPhoto else { return session.abilities.largerPhoto.reason }
        let lead = Duration.nanoseconds(larger.leadNanoseconds).shortText
        return "up to \(larger.dimensions), triggered at least \(lead) ahead"
    }

    /// Whether there are clips, or why not, and how many are being recorded.
    private func livePhotos(_ condition: DeviceCondition) -> String? {
        guard let session = condition.session else { return nil }
        let count = session.livePhotosInProgress
        return session.abilities.live.reason ?? (count == 0 ? "enabled" : "enabled, \(count) being recorded")
    }

    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 13 - name.count))
    }

    private var formats: String {
        guard let offers = details.capabilities?.formats, !offers.isEmpty else { return "" }
        let columns: [Table.Column] = [.init("FORMAT"), .init("SIZE"), .init("FRAMES PER SECOND")]
        let rows = offers.flatMap { offer in
            let name =
                offer.convertedFrom.map { "\(offer.pixelFormat.rawValue) from \($0)" } ?? offer.pixelFormat.rawValue
            guard !offer.sizes.isEmpty else { return [[name, "unknown", "not told"]] }
            return offer.sizes.map { [name, $0.text, $0.rates] }
        }
        return Table(columns: columns, rows: rows).rendered() + (details.isCut ? "and more\n" : "")
    }

    /// The common settings that the camera supports, and the names of the others.
    private var settings: String {
        guard let capabilities = details.capabilities, details.device.mediaType == .video else { return "" }
        let settings = SettableCamera(details, capabilities, catalogue: .shipped).supportedSettings
        let columns: [Table.Column] = [
            .init("SETTING"), .init("CURRENT", .right), .init("RANGE"), .init("STEP", .right), .init("UNIT"),
            .init("CONTROL"),
        ]
        let rows = settings.filter(\.isSupported).map { setting in
            [
                setting.setting.rawValue, setting.current?.description ?? "-", setting.range,
                setting.step?.description ?? "-", setting.unit?.rawValue ?? "",
                setting.controls.isEmpty ? "the stream" : setting.controls.joined(separator: " "),
            ]
        }
        guard !rows.isEmpty else { return "" }
        let others = settings.filter { !$0.isSupported }.map(\.setting.rawValue)
        return Table(columns: columns, rows: rows).rendered()
            + (others.isEmpty ? "" : "not supported: \(others.joined(separator: " "))\n")
    }

    private var controls: String {
        guard let controls = details.capabilities?.controls, !controls.isEmpty else { return "" }
        let columns: [Table.Column] = [
            .init("CONTROL"), .init("VALUE", .right), .init("DEFAULT", .right), .init("RANGE"), .init("UNIT"),
            .init("NOTE"),
        ]
        let rows = controls.map { control in
            [
                control.name, control.value.map(String.init) ?? "-",
                control.kind == .button ? "-" : String(control.defaultValue), control.range, control.unit ?? "",
                control.note,
            ]
        }
        return Table(columns: columns, rows: rows).rendered()
    }
}

extension DeviceDescription {
    /// How its pictures stand upright; nil if they need no turn.
    fileprivate var orientationText: String? {
        let turn = orientation == .degrees0 ? nil : "turned clockwise by \(orientation.rawValue) degrees"
        let words = [turn, mirrored == true ? "mirrored" : nil].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension SizeOffer {
    fileprivate var text: String {
        if widths.smallest == widths.largest, heights.smallest == heights.largest {
            return "\(widths.smallest)x\(heights.smallest)"
        }
        return "\(widths.smallest)x\(heights.smallest) to \(widths.largest)x\(heights.largest) "
            + "in steps of \(widths.step)x\(heights.step)" + (isMadeToOrder ? ", made to order" : "")
    }

    fileprivate var rates: String {
        intervals.isEmpty ? "unknown" : intervals.map(\.text).joined(separator: ", ")
    }
}

extension IntervalOffer {
    fileprivate var text: String {
        let (fastest, slowest) = (Self.rate(shortestNanoseconds), Self.rate(longestNanoseconds))
        return fastest == slowest ? fastest : "\(slowest) to \(fastest)"
    }

    private static func rate(_ nanoseconds: Int64) -> String {
        let hundredths = (100_000_000_000 / Double(max(nanoseconds, 1))).rounded() / 100
        return hundredths == hundredths.rounded() ? String(Int64(hundredths)) : "\(hundredths)"
    }
}

extension SupportedSetting {
    fileprivate var range: String {
        if !choices.isEmpty {
            // A camera may have many formats; they are listed above.
            let shown = choices.prefix(choices.count > 5 ? 3 : 5).map(\.description).joined(separator: ", ")
            return choices.count > 5 ? "\(shown) and \(choices.count - 3) more" : shown
        }
        return [minimum, maximum].compactMap { $0?.description }.joined(separator: " to ")
    }
}

extension DeviceControl {
    fileprivate var range: String {
        switch kind {
        case .menu: menu.map { "\($0.index) \($0.name)" }.joined(separator: ", ")
        case .button: "button"
        case .bitmask: "bits of 0x" + String(maximum, radix: 16)
        case .boolean: "0 to 1"
        case .integer: "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
        }
    }

    fileprivate var note: String {
        isReadOnly ? "read-only" : isInactive ? "no effect with the values of other controls" : ""
    }
}

/// The devices of a rig.
struct DeviceReport: Report {
    var devices: [DeviceStatus]

    var document: DevicesDocument { DevicesDocument(devices) }

    var table: String {
        let columns: [Table.Column] = [
            .init("DEVICE"), .init("STATE"), .init("READY"), .init("TYPE"), .init("POSITION"), .init("FORMAT"),
            .init("LOST", .right),
            .init("LOAD", .right),
            .init("PURPOSE OR REASON"),
        ]
        return Table(columns: columns, rows: devices.map(row)).rendered()
    }

    private func row(_ status: DeviceStatus) -> [String] {
        let (device, condition) = (status.device, status.condition)
        return [
            device.id.description, condition.state.rawValue,
            condition.session?.readiness.rawValue ?? "-", device.type.rawValue, device.position.rawValue,
            format(condition), lost(condition.counters).description,
            load(condition.session?.cost),
            ([condition.reason ?? device.purpose] + warnings(condition)).joined(separator: "; "),
        ]
    }

    /// The format, with the measured rate if the camera is slower than its format states.
    private func format(_ condition: DeviceCondition) -> String {
        guard let format = condition.format else { return "-" }
        guard let interval = condition.frameInterval, interval > format.frameInterval else { return format.description }
        return "\(format), delivers \(Decimals.text(Duration.seconds(1) / interval, digits: 1))"
    }

    /// The bus bandwidth that its stream uses.
    private func load(_ cost: SessionCost?) -> String {
        cost.map { Decimals.byteText($0.streamBytesPerSecond) + "/s" } ?? "-"
    }

    private func warnings(_ condition: DeviceCondition) -> [String] {
        condition.session?.cost?.warnings ?? []
    }

    /// Frames that did not reach the ring, for any cause.
    private func lost(_ counters: FrameCounters) -> UInt64 {
        counters.droppedByDevice &+ counters.flaggedErroneous &+ counters.torn &+ counters.droppedByNode
    }
}
