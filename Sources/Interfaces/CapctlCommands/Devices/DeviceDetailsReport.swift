internal import CameraSettings
internal import CaptureModel
internal import RigDocuments

/// The description of one device.
struct DeviceDetailsReport: Report {
    var details: DeviceDetails

    var document: DeviceDetailsDocument { DeviceDetailsDocument(details) }

    var names: [String]? { [details.device.id.description] }
    var failures: [String] { [details.obstacle?.message].compactMap(\.self) }

    /// One screen for people, or with `-o wide` everything: every size of every format, and the driver's controls.
    func table(_ layout: TextLayout) -> String {
        guard layout.isWide else { return lines(facts(isWide: false) + groups, layout) + pointer }
        let sections = [lines(facts(isWide: true), layout), formats(layout), settings(layout), controls(layout)]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// A fact, and whether it may be shortened to one line. What a person must do is never shortened.
    private struct Fact {
        var name: String
        var value: String?
        var isBrief = false
    }

    private func lines(_ facts: [Fact], _ layout: TextLayout) -> String {
        var layout = layout
        layout.hasHeadings = false
        return facts.filter { $0.value != nil }.map { fact in
            Table(
                columns: [.init(""), .init("", .left, fact.isBrief ? .end(20) : .wrap(20))],
                rows: [[padded(fact.name), fact.value ?? ""]]
            ).rendered(layout)
        }.joined()
    }

    private func facts(isWide: Bool) -> [Fact] {
        let (device, condition) = (details.device, details.condition)
        // It is worth a line of a screen only where something is to be done.
        let showsAuthorization = isWide || details.authorization != .authorized
        let hardware = [device.make, device.model, device.serial, "driver \(device.driver)"].compactMap(\.self)
        return [
            Fact(name: "device", value: "\(device.id): \(device.type), \(device.position)"),
            Fact(name: "labels", value: device.labels.isEmpty ? nil : device.labels.joined(separator: " ")),
            Fact(name: "purpose", value: device.purpose), Fact(name: "orientation", value: device.orientationText),
            Fact(name: "hardware", value: hardware.joined(separator: ", ")),
            Fact(name: "identity", value: details.identity, isBrief: true),
            Fact(name: "authorization", value: showsAuthorization ? details.authorization.rawValue : nil),
            Fact(name: "remedy", value: details.remedy),
            Fact(
                name: "state",
                value: [condition.state.rawValue, condition.format?.description].compactMap(\.self).joined(
                    separator: ", ")),
            Fact(name: "reason", value: condition.reason),
            Fact(name: "stamps", value: condition.stamps?.text),
        ] + abilities(condition) + [Fact(name: "obstacle", value: details.obstacle?.message)]
    }

    private func abilities(_ condition: DeviceCondition) -> [Fact] {
        let abilities = condition.session?.abilities
        return [
            Fact(name: "larger still", value: largerPhoto(condition), isBrief: true),
            Fact(name: "raw", value: abilities.map { $0.raw.reason ?? "enabled" }, isBrief: true),
            Fact(name: "flash", value: abilities.map { $0.flash.reason ?? "available" }, isBrief: true),
            Fact(name: "Live Photos", value: livePhotos(condition), isBrief: true),
        ]
    }

    /// The formats with their largest sizes, and the settings by what they are about, with their present values and ranges.
    private var groups: [Fact] {
        let offers = (details.capabilities?.formats ?? []).compactMap(\.summary)
        let formats = offers.isEmpty ? nil : offers.joined(separator: ", ")
        let settings = supported.filter(\.isSupported)
        return [Fact(name: "formats", value: formats)]
            + SettingGroup.allCases.map { group in
                let values = settings.filter { SettingGroup($0.setting) == group }.map(\.summary)
                return Fact(name: group.rawValue, value: values.isEmpty ? nil : values.joined(separator: ", "))
            }
    }

    /// Names what is not shown.
    private var pointer: String {
        guard let capabilities = details.capabilities else { return "" }
        let sizes = capabilities.formats.reduce(0) { $0 + $1.sizes.count }
        let counts = [
            sizes > 0 ? sizes.counted("size") : nil,
            capabilities.controls.isEmpty ? nil : capabilities.controls.count.counted("control"),
        ].compactMap(\.self)
        guard !counts.isEmpty else { return "" }
        return
            "-o wide lists \(counts.joined(separator: " and "))\(details.isCut ? " and says that there are more" : "")\n"
    }

    private var supported: [SupportedSetting] {
        guard let capabilities = details.capabilities, details.device.mediaType == .video else { return [] }
        return SettableCamera(details, capabilities, catalogue: .shipped).supportedSettings
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

    private func formats(_ layout: TextLayout) -> String {
        guard let offers = details.capabilities?.formats, !offers.isEmpty else { return "" }
        let columns: [Table.Column] = [.init("FORMAT"), .init("SIZE"), .init("FRAMES PER SECOND")]
        let rows = offers.flatMap { offer in
            let name =
                offer.convertedFrom.map { "\(offer.pixelFormat.rawValue) from \($0)" } ?? offer.pixelFormat.rawValue
            guard !offer.sizes.isEmpty else { return [[name, "unknown", "not told"]] }
            return offer.sizes.map { [name, $0.text, $0.rates] }
        }
        return Table(columns: columns, rows: rows).rendered(layout) + (details.isCut ? "and more\n" : "")
    }

    /// The common settings that the camera supports, and the names of the others.
    private func settings(_ layout: TextLayout) -> String {
        let settings = supported
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
        return Table(columns: columns, rows: rows).rendered(layout)
            + (others.isEmpty ? "" : "not supported: \(others.joined(separator: " "))\n")
    }

    private func controls(_ layout: TextLayout) -> String {
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
        return Table(columns: columns, rows: rows).rendered(layout)
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

extension CameraStamps {
    /// What they are, and how far the camera's pictures may be from them.
    fileprivate var text: String {
        guard let correction else { return origin.text }
        guard let uncertainty = correction.uncertainty else {
            return "\(origin.text); the latency was not measured: `capctl sync calibrate`"
        }
        let day = correction.measuredOn.map { ", measured on \($0)" } ?? ""
        return "\(origin.text); \((.zero - correction.latencyOffset).text) late ± \(uncertainty.text)\(day)"
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

extension FormatOffer {
    /// The format and its largest size; nil if the driver tells no size.
    fileprivate var summary: String? {
        func area(_ size: SizeOffer) -> Int { Int(size.widths.largest) * Int(size.heights.largest) }
        guard let largest = sizes.max(by: { area($0) < area($1) }) else { return nil }
        let size = "\(largest.widths.largest)x\(largest.heights.largest)"
        return "\(pixelFormat.rawValue) \(sizes.count == 1 ? "" : "up to ")\(size)"
    }
}

/// What a setting is about.
private enum SettingGroup: String, CaseIterable {
    case exposure
    case whiteBalance = "white balance"
    case focus
    case view
    case light
    case picture
    case stream

    init(_ setting: CaptureSetting) {
        self =
            switch setting {
            case .exposureMode, .exposureDuration, .exposureBias, .exposurePointOfInterest, .iso, .gain, .iris,
                .exposureDynamicFrameRate:
                .exposure
            case .whiteBalanceMode, .whiteBalanceTemperature, .whiteBalanceTint, .whiteBalanceGains: .whiteBalance
            case .focusMode, .lensPosition, .focusPointOfInterest, .refocusOnSceneChange: .focus
            case .zoomFactor, .pan, .tilt: .view
            case .torchLevel, .powerLineFrequency: .light
            case .backlightCompensation, .sharpness, .contrast, .gamma, .saturation: .picture
            case .format, .minimumFrameDuration, .maximumFrameDuration: .stream
            }
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
    /// The setting in words, with its range where it has one: `exposure 25 ms (0.1 ms to 500 ms)`.
    fileprivate var summary: String {
        let name = SettingWords.name(of: setting)
        let value = current.map { " \(SettingWords.text(of: $0))" } ?? ""
        // Of modes and formats only the present one is shown.
        guard choices.isEmpty, let minimum, let maximum else { return name + value }
        return "\(name)\(value) (\(SettingWords.text(of: minimum)) to \(SettingWords.text(of: maximum)))"
    }

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
