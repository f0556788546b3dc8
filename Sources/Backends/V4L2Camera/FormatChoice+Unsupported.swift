import CameraKit
import CaptureModel
import Video4Linux

extension FormatChoice {
    /// Why nothing on offer suits a request.
    struct Unsupported: Error, Hashable, CustomStringConvertible {
        var description: String

        init(_ request: FormatRequest, _ offers: [Offer]) {
            let usable = offers.filter { $0.source != nil }
            guard !usable.isEmpty else {
                let names = offers.map(\.format.description).joined(separator: ", ")
                description = "the camera offers \(names.isEmpty ? "nothing" : names), of which nothing can be captured"
                return
            }
            let list = usable.map { "\(Self.name($0)) \(Self.sizes($0.sizes))" }.joined(separator: "; ")
            description = "the camera does not offer \(Self.wish(request)); it offers \(list)"
        }

        private static func wish(_ request: FormatRequest) -> String {
            let format = request.pixelFormat.map(\.rawValue) ?? "any format"
            return "\(format) in \(request.width.map(String.init) ?? "any")x\(request.height.map(String.init) ?? "any")"
        }

        private static func name(_ offer: Offer) -> String {
            guard let source = offer.source, source.convertedFrom != nil else { return offer.format.description }
            return "\(source.pixelFormat.rawValue) (converted from \(offer.format))"
        }

        private static func sizes(_ sizes: [FrameSizes]) -> String {
            let texts = sizes.prefix(24).map { sizes in
                sizes.widths.minimum == sizes.widths.maximum && sizes.heights.minimum == sizes.heights.maximum
                    ? "\(sizes.widths.minimum)x\(sizes.heights.minimum)"
                    : "\(sizes.widths.minimum)x\(sizes.heights.minimum) to \(sizes.widths.maximum)x\(sizes.heights.maximum)"
            }
            return texts.joined(separator: " ")
        }
    }
}
