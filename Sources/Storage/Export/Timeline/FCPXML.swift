internal import CaptureModel

/// A take as FCPXML 1.8, Apple's exchange format of Final Cut Pro: an event with a multicam clip, whose angles are the cameras, and a
/// project that shows the clip.
///
/// Times are exact fractions of seconds. Time zero of the multicam clip is T, so each camera's clip is placed where its first frame was
/// exposed.
struct FCPXML {
    private static let multicam = "multicam"

    private let timeline: TakeTimeline

    init(_ timeline: TakeTimeline) {
        self.timeline = timeline
    }

    var bytes: [UInt8] {
        let root = MarkupElement("fcpxml", ["version": "1.8"], children: [resources, event])
        return Array(#"<?xml version="1.0" encoding="UTF-8"?>\#n<!DOCTYPE fcpxml>\#n\#(root.rendered())"#.utf8)
    }

    private var resources: MarkupElement {
        let angles = timeline.angles.enumerated()
        return MarkupElement(
            "resources", children: angles.map { format($1, $0) } + angles.flatMap { assets($1, $0) } + [multicam])
    }

    private func format(_ angle: TakeTimeline.Angle, _ index: Int) -> MarkupElement {
        MarkupElement(
            "format",
            [
                "id": "format\(index)", "frameDuration": "\(angle.frameDuration)", "width": "\(angle.size.width)",
                "height": "\(angle.size.height)",
            ])
    }

    private func assets(_ angle: TakeTimeline.Angle, _ index: Int) -> [MarkupElement] {
        angle.clips.enumerated().map { place, clip in
            MarkupElement(
                "asset",
                [
                    "id": Self.asset(index, place), "name": angle.device.description, "src": "./\(clip.path)",
                    "start": "\(clip.start)", "duration": "\(clip.length)", "hasVideo": "1",
                    "format": "format\(index)", "hasAudio": clip.sound.map { _ in "1" },
                    "audioSources": clip.sound.map { _ in "1" },
                    "audioChannels": clip.sound.map { "\($0.channelCount)" },
                    "audioRate": clip.sound.map { "\($0.sampleRate)" },
                ])
        }
    }

    private static func asset(_ angle: Int, _ place: Int) -> String {
        place == 0 ? "movie\(angle)" : "movie\(angle).\(place + 1)"
    }

    private var multicam: MarkupElement {
        let angles = timeline.angles.enumerated().map { index, angle in
            MarkupElement(
                "mc-angle", ["name": angle.device.description, "angleID": angle.device.folderName],
                children: clips(angle, index))
        }
        return MarkupElement(
            "media", ["id": Self.multicam, "name": timeline.name],
            children: [
                MarkupElement(
                    "multicam",
                    ["format": "format0", "duration": "\(timeline.duration)", "tcStart": "0s", "tcFormat": countsAs],
                    children: angles)
            ])
    }

    /// Returns a camera's files, one after the other.
    private func clips(_ angle: TakeTimeline.Angle, _ index: Int) -> [MarkupElement] {
        angle.spacedClips.enumerated().flatMap { place, item in
            gap(item.gap, before: item.clip) + [clip(item.clip, Self.asset(index, place), angle, index)]
        }
    }

    private func gap(_ duration: RationalTime, before clip: TakeTimeline.Clip) -> [MarkupElement] {
        guard duration > .zero else { return [] }
        let offset = clip.first + -duration
        return [
            MarkupElement("gap", ["name": "Gap", "offset": "\(offset)", "start": "0s", "duration": "\(duration)"])
        ]
    }

    private func clip(
        _ clip: TakeTimeline.Clip, _ asset: String, _ angle: TakeTimeline.Angle, _ index: Int
    ) -> MarkupElement {
        MarkupElement(
            "asset-clip",
            [
                "ref": asset, "name": angle.device.description, "offset": "\(clip.first)",
                "start": "\(clip.firstInFile)", "duration": "\(clip.duration)", "format": "format\(index)",
                "tcFormat": angle.isDropFrame ? "DF" : "NDF",
                "audioRole": clip.sound.map { _ in "dialogue" },
            ])
    }

    private var event: MarkupElement {
        let sequence = MarkupElement(
            "sequence",
            ["format": "format0", "duration": "\(timeline.duration)", "tcStart": "0s", "tcFormat": countsAs],
            children: [MarkupElement("spine", children: [multicamClip(offset: "0s")])])
        return MarkupElement(
            "event", ["name": timeline.name],
            children: [
                multicamClip(offset: nil), MarkupElement("project", ["name": timeline.name], children: [sequence]),
            ])
    }

    /// Shows the picture of the first camera, and plays the sound of the first camera that has sound.
    private func multicamClip(offset: String?) -> MarkupElement {
        let seen = timeline.angles.first
        let heard = timeline.angles.first { $0.sound != nil }
        let note = timeline.note.isEmpty ? [] : [MarkupElement("note", text: timeline.note)]
        let isBoth = seen?.device == heard?.device
        let sources = [(seen, isBoth ? "all" : "video"), (isBoth ? nil : heard, "audio")].compactMap { angle, part in
            angle.map { MarkupElement("mc-source", ["angleID": $0.device.folderName, "srcEnable": part]) }
        }
        let marks = timeline.marks.map { mark in
            MarkupElement(
                "marker",
                ["start": "\(mark.time)", "duration": seen.map { "\($0.frameDuration)" }, "value": mark.text])
        }
        return MarkupElement(
            "mc-clip",
            [
                "ref": Self.multicam, "name": timeline.name, "offset": offset, "start": "0s",
                "duration": "\(timeline.duration)",
            ], children: note + sources + marks)
    }

    private var countsAs: String { timeline.angles.first?.isDropFrame == true ? "DF" : "NDF" }
}

/// An XML element with its attributes, and either a text or child elements, each on a separate line.
struct MarkupElement {
    var name: String
    var attributes: [(name: String, value: String)]
    var text: String?
    var children: [MarkupElement] = []

    init(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String? = nil,
        children: [MarkupElement] = []
    ) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in value.map { (name, $0) } }
        self.text = text
        self.children = children
    }

    func rendered(indentation: String = "") -> String {
        let attributes = attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        let start = "\(indentation)<\(name)\(attributes)"
        if let text { return "\(start)>\(Self.escaped(text))</\(name)>\n" }
        guard !children.isEmpty else { return start + "/>\n" }
        let inner = children.map { $0.rendered(indentation: indentation + "  ") }.joined()
        return "\(start)>\n\(inner)\(indentation)</\(name)>\n"
    }

    /// Escapes a text. Characters that XML 1.0 cannot contain, which people's notes may have, become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case ..<" ", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
