internal import CaptureModel
internal import FoundationEssentials
internal import HTTPTypes
internal import RigDocuments

/// The body of `POST /shots`. docs/api/README.md describes it.
struct TriggerBody: RequestDocument {
    static let members = [
        "": ["shot", "selection", "settings", "time", "requireAll"],
        "selection": ["all", "nodes", "devices", "labels", "type", "position"],
        "settings": [
            "livePhoto", "raw", "rawThumbnail", "codec", "quality", "previewSize", "flash", "maxPhotoDimensions",
        ],
        "rawThumbnail": ["codec", "longerSide"],
        "maxPhotoDimensions": ["width", "height"],
        "time": ["lead", "relative", "at"],
    ]

    struct Choice: Decodable {
        var all: Bool?
        var nodes: [String]?
        var devices: [Checked<DeviceID>]?
        var labels: [String]?
        var type: String?
        var position: String?
    }

    struct Settings: Decodable {
        var livePhoto: Bool?
        /// For every selected camera that has raw enabled.
        var raw: OneOf<Raw>?
        var rawThumbnail: RawThumbnail?
        var codec: OneOf<PhotoCodec>?
        var quality: Int?
        var previewSize: Int?
        var flash: OneOf<FlashMode>?
        var maxPhotoDimensions: Dimensions?
    }

    enum Raw: String, CaseIterable {
        case only, withPhoto

        var requested: RawPhoto {
            switch self {
            case .only: .only
            case .withPhoto: .withPhotoWhereEnabled
            }
        }
    }

    struct RawThumbnail: Decodable {
        var codec: OneOf<RawThumbnailFormat.Codec>?
        var longerSide: Int?
    }

    struct Dimensions: Decodable {
        var width: Int
        var height: Int
    }

    struct Time: Decodable {
        /// Nanoseconds, as decimal text.
        var lead: String?
        var relative: String?
        /// RFC 3339.
        var at: String?
    }

    var shot: ShotID?
    var selection: Choice?
    var settings: Settings?
    var time: Time?
    var requireAll: Bool?

    /// - Parameter made: The id for a request without one.
    /// - Throws: ``GatewayProblem``.
    func request(made: ShotID) throws -> TriggerRequest {
        TriggerRequest(
            shot: shot ?? made,
            request: ShotRequest(
                selection: try Choice.read(selection), settings: try readSettings(), time: try Time.read(time),
                requireAll: requireAll ?? false))
    }

    private func readSettings() throws -> PhotoSettings {
        var read = PhotoSettings()
        read.livePhoto = settings?.livePhoto == false ? nil : .usual
        guard let settings else { return read }
        read.raw = settings.raw?.word.requested
        read.rawThumbnail = try settings.rawThumbnail?.format(hasRaw: read.raw != nil)
        read.codec = settings.codec?.word
        read.flash = settings.flash?.word
        if let quality = settings.quality {
            guard (1...100).contains(quality) else {
                throw GatewayProblem.member("settings.quality", "must be 1 to 100")
            }
            read.quality = quality
        }
        if let size = settings.maxPhotoDimensions {
            for (side, length) in [("width", size.width), ("height", size.height)] {
                guard (1...65_535).contains(length) else {
                    throw GatewayProblem.member("settings.maxPhotoDimensions.\(side)", "must be 1 to 65535")
                }
            }
            read.maxPhotoDimensions = PixelSize(width: size.width, height: size.height)
        }
        if let size = settings.previewSize {
            guard PhotoSettings.previewSizes.contains(size) else {
                throw GatewayProblem.member("settings.previewSize", "must be 16 to 4096")
            }
            read.previewSize = size
        }
        return read
    }
}

extension TriggerBody.RawThumbnail {
    /// - Throws: ``GatewayProblem``: there is no raw file, or no picture that could have the size.
    func format(hasRaw: Bool) throws -> RawThumbnailFormat {
        guard hasRaw else { throw GatewayProblem.member("settings.rawThumbnail", "needs settings.raw") }
        let format = RawThumbnailFormat(codec: codec?.word ?? .jpeg, longerSide: longerSide)
        guard let side = longerSide else { return format }
        guard format.codec == .jpeg, RawThumbnailFormat.longerSides.contains(side) else {
            throw GatewayProblem.member("settings.rawThumbnail.longerSide", "must be 16 to 4096, with codec 'jpeg'")
        }
        return format
    }
}

extension TriggerBody.Choice {
    /// - Throws: ``GatewayProblem``: nothing is selected, or a name is none.
    static func read(_ choice: TriggerBody.Choice?) throws -> Selection {
        guard let choice else {
            throw GatewayProblem.member("selection", "this member is required; select cameras: {\"all\": true}")
        }
        let nodes = try (choice.nodes ?? []).enumerated().map { index, name in
            do {
                return try NodeName(name)
            } catch {
                throw GatewayProblem.member("selection.nodes[\(index)]", "\(error)")
            }
        }
        for (member, word) in [("type", choice.type), ("position", choice.position)] where word?.isEmpty == true {
            throw GatewayProblem.member("selection.\(member)", "an empty word selects nothing; leave it out")
        }
        let selects: Selection.Choice
        if choice.type != nil || choice.position != nil {
            selects = .matching([
                TypeAndPosition(
                    type: choice.type.map(DeviceType.init(rawValue:)),
                    position: choice.position.map(Position.init(rawValue:)) ?? .unspecified)
            ])
        } else {
            guard
                choice.all == true || choice.devices?.isEmpty == false || choice.labels?.isEmpty == false
                    || !nodes.isEmpty
            else {
                throw GatewayProblem(
                    .unprocessableContent, "emptySelection",
                    "selection: it selects nothing; say all, or name devices, nodes, labels, a type or a position")
            }
            selects = .all
        }
        return Selection(
            nodes: nodes, devices: choice.devices?.map(\.value) ?? [], labels: choice.labels ?? [], choice: selects)
    }
}

extension TriggerBody.Time {
    /// - Throws: ``GatewayProblem``: it is not an instant.
    static func read(_ time: TriggerBody.Time?) throws -> RequestedTime {
        func number(_ text: String, _ member: String) throws -> Int64 {
            guard let value = Int64(decimal: text) else {
                throw GatewayProblem.member(
                    "time.\(member)", "must be a whole number of nanoseconds as decimal text, and is '\(text)'")
            }
            return value
        }
        switch (time?.lead, time?.relative, time?.at) {
        case (nil, nil, nil): return .soon(lead: nil)
        case (let lead?, nil, nil):
            let lead = try number(lead, "lead")
            guard lead >= 0 else {
                throw GatewayProblem.member("time.lead", "must not be negative; time.relative may be")
            }
            return .soon(lead: lead)
        case (nil, let relative?, nil): return .relative(nanoseconds: try number(relative, "relative"))
        case (nil, nil, let at?):
            guard let instant = RFC3339.realtimeNanoseconds(at) else {
                throw GatewayProblem.member(
                    "time.at", "must be a date with a zone, such as 2026-11-26T18:00:00.5Z, and is '\(at)'")
            }
            return .absolute(realtimeNanoseconds: instant)
        default: throw GatewayProblem.member("time", "must have only one of lead, relative and at")
        }
    }
}
