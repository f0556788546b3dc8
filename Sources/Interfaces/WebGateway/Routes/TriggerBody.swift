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
        var devices: [DeviceID]?
        var labels: [String]?
        var type: String?
        var position: String?
    }

    struct Settings: Decodable {
        var livePhoto: Bool?
        /// `only` or `withPhoto`; for every selected camera that has raw enabled.
        var raw: String?
        var rawThumbnail: RawThumbnail?
        var codec: PhotoCodec?
        var quality: Int?
        var previewSize: Int?
        var flash: FlashMode?
        var maxPhotoDimensions: Dimensions?
    }

    struct RawThumbnail: Decodable {
        var codec: RawThumbnailFormat.Codec?
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
        guard let settings else { return read }
        if settings.livePhoto == true { read.livePhoto = .whereEnabled }
        switch settings.raw {
        case nil: break
        case "only": read.raw = .only
        case "withPhoto": read.raw = .withPhotoWhereEnabled
        case let other?: throw GatewayProblem.badRequest("settings.raw is 'only' or 'withPhoto', and not '\(other)'")
        }
        read.rawThumbnail = try settings.rawThumbnail?.format(hasRaw: read.raw != nil)
        read.codec = settings.codec
        read.flash = settings.flash
        if let quality = settings.quality {
            guard (1...100).contains(quality) else { throw GatewayProblem.badRequest("settings.quality is 1 to 100") }
            read.quality = quality
        }
        if let size = settings.maxPhotoDimensions {
            guard (1...65_535).contains(size.width), (1...65_535).contains(size.height) else {
                throw GatewayProblem.badRequest("settings.maxPhotoDimensions has sides of 1 to 65535")
            }
            read.maxPhotoDimensions = PixelSize(width: size.width, height: size.height)
        }
        if let size = settings.previewSize {
            guard (16...4096).contains(size) else {
                throw GatewayProblem.badRequest("settings.previewSize is 16 to 4096")
            }
            read.previewSize = size
        }
        return read
    }
}

extension TriggerBody.RawThumbnail {
    /// - Throws: ``GatewayProblem``: there is no raw file, or no picture that could have the size.
    func format(hasRaw: Bool) throws -> RawThumbnailFormat {
        guard hasRaw else { throw GatewayProblem.badRequest("settings.rawThumbnail needs settings.raw") }
        let format = RawThumbnailFormat(codec: codec ?? .jpeg, longerSide: longerSide)
        guard let side = longerSide else { return format }
        guard format.codec == .jpeg, RawThumbnailFormat.longerSides.contains(side) else {
            throw GatewayProblem.badRequest("settings.rawThumbnail.longerSide is 16 to 4096, with codec 'jpeg'")
        }
        return format
    }
}

extension TriggerBody.Choice {
    /// - Throws: ``GatewayProblem``: nothing is selected, or a name is none.
    static func read(_ choice: TriggerBody.Choice?) throws -> Selection {
        guard let choice else {
            throw GatewayProblem.badRequest("select cameras: \"selection\": {\"all\": true}")
        }
        let nodes = try (choice.nodes ?? []).map { name in
            do { return try NodeName(name) } catch { throw GatewayProblem.badRequest("\(error)") }
        }
        guard choice.type?.isEmpty != true, choice.position?.isEmpty != true else {
            throw GatewayProblem.badRequest("an empty type or position selects nothing; leave it out")
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
                    "the selection selects nothing; say all, or name devices, nodes, labels, a type or a position")
            }
            selects = .all
        }
        return Selection(nodes: nodes, devices: choice.devices ?? [], labels: choice.labels ?? [], choice: selects)
    }
}

extension TriggerBody.Time {
    /// - Throws: ``GatewayProblem``: it is no instant.
    static func read(_ time: TriggerBody.Time?) throws -> RequestedTime {
        func number(_ text: String) throws -> Int64 {
            guard let value = Int64(decimal: text) else {
                throw GatewayProblem.badRequest("'\(text)' is no whole number of nanoseconds")
            }
            return value
        }
        switch (time?.lead, time?.relative, time?.at) {
        case (nil, nil, nil): return .soon(lead: nil)
        case (let lead?, nil, nil):
            let lead = try number(lead)
            guard lead >= 0 else { throw GatewayProblem.badRequest("time.lead is not negative; time.relative may be") }
            return .soon(lead: lead)
        case (nil, let relative?, nil): return .relative(nanoseconds: try number(relative))
        case (nil, nil, let at?):
            guard let instant = RFC3339.realtimeNanoseconds(at) else {
                throw GatewayProblem.badRequest("'\(at)' is no date with a zone, such as 2026-11-26T18:00:00.5Z")
            }
            return .absolute(realtimeNanoseconds: instant)
        default: throw GatewayProblem.badRequest("time has one of lead, relative and at")
        }
    }
}
