internal import CaptureModel

/// The body of `POST /shots`: the document of a request, with the shot's id beside its members.
struct TriggerBody: Decodable {
    /// Made by the gateway if it is absent.
    let shot: ShotID?
    let request: ShotRequest

    private enum CodingKeys: String, CodingKey {
        case shot = "shot"
    }

    init(from decoder: any Decoder) throws {
        shot = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(ShotID.self, forKey: .shot)
        request = try ShotRequest(from: decoder)
    }
}

extension TriggerBody: ValidatedDocument {
    func validate() throws(InvalidDocument) {
        try request.validate()
        guard request.settings.movie == nil else {
            throw InvalidDocument("settings.movie", "belongs to a take; begin it with POST /takes")
        }
    }
}

/// The body of `POST /takes`: the document of a request whose settings have a movie, with the take's id beside its members.
struct TakeBody: Decodable {
    /// Made by the gateway if it is absent.
    let take: ShotID?
    private(set) var request: ShotRequest

    private enum CodingKeys: String, CodingKey {
        case take = "take"
        case settings = "settings"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        take = try members.decodeIfPresent(ShotID.self, forKey: .take)
        request = try ShotRequest(from: decoder)
        // What a take asks for that says nothing of settings: a movie without limits.
        let saysNothing = try !members.contains(.settings) || members.decodeNil(forKey: .settings)
        if saysNothing { request.settings = PhotoSettings(movie: MovieSettings()) }
    }
}

extension TakeBody: ValidatedDocument {
    func validate() throws(InvalidDocument) {
        try request.validate()
        guard request.settings.movie != nil else {
            throw InvalidDocument("settings.movie", "this member is required; a movie without limits is {}")
        }
    }
}

extension TakeBody: ExplainsUnknownMembers {
    static func explanation(ofUnknown member: String) -> String? {
        member == "movie" ? "the limits of a take's movies are 'settings.movie'" : nil
    }
}
