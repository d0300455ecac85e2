import Testing
@testable import UIKit

/// What is drawn looks as on iOS: colours and the weights of letters are Apple's.
@Suite struct LookTests {
    @Test("colours that have a name are Apple's") func named() {
        let greys: [(UIColor, CGFloat)] = [
            (.black, 0), (.white, 1), (.gray, 0.5), (.darkGray, 1 / 3), (.lightGray, 2 / 3),
        ]
        for (colour, white) in greys { #expect(colour == UIColor(red: white, green: white, blue: white, alpha: 1)) }
        let colours: [(UIColor, [CGFloat])] = [
            (.red, [1, 0, 0]), (.green, [0, 1, 0]), (.blue, [0, 0, 1]), (.cyan, [0, 1, 1]), (.magenta, [1, 0, 1]),
            (.yellow, [1, 1, 0]), (.orange, [1, 0.5, 0]), (.purple, [0.5, 0, 0.5]),
        ]
        for (colour, parts) in colours { #expect(colour.cgColor.components == parts + [1]) }
        #expect(UIColor.clear == UIColor(white: 0, alpha: 0))
    }

    @Test("the system's colours have Apple's bytes") func system() {
        let colours: [(UIColor, [CGFloat])] = [
            (.systemYellow, [255, 204, 0]), (.systemGreen, [52, 199, 89]), (.systemGray, [142, 142, 147]),
        ]
        for (colour, bytes) in colours {
            let apples = UIColor(red: bytes[0] / 255, green: bytes[1] / 255, blue: bytes[2] / 255, alpha: 1)
            #expect(colour == apples)
        }
    }

    @Test("a hue goes around from red over green and blue") func hues() {
        func pure(_ hue: CGFloat) -> UIColor { UIColor(hue: hue, saturation: 1, brightness: 1, alpha: 1) }
        #expect(pure(0) == .red && pure(0.5) == .cyan && pure(1) == .red)
        #expect(pure(0.25) == UIColor(red: 0.5, green: 1, blue: 0, alpha: 1))
        let pale = UIColor(hue: 0.75, saturation: 0.5, brightness: 0.5, alpha: 0.25)
        #expect(pale == UIColor(red: 0.375, green: 0.25, blue: 0.5, alpha: 0.25))
    }

    @Test("a weight is that of font files, and one between two is the lighter") func weights() {
        let weights: [(UIFont.Weight, CGFloat, Int)] = [
            (.ultraLight, -0.8, 100), (.thin, -0.6, 200), (.light, -0.4, 300), (.regular, 0, 400), (.medium, 0.23, 500),
            (.semibold, 0.3, 600), (.bold, 0.4, 700), (.heavy, 0.56, 800), (.black, 0.62, 900),
        ]
        for (weight, apples, inFiles) in weights {
            #expect(weight.rawValue == apples)
            #expect(UIFont.systemFont(ofSize: 1, weight: weight).style.weight == inFiles)
            let next = UIFont.Weight(rawValue: apples + 0.01)
            #expect(UIFont.systemFont(ofSize: 1, weight: next).style.weight == inFiles)
        }
        #expect(UIFont.systemFont(ofSize: 1, weight: UIFont.Weight(rawValue: -1)).style.weight == 100)
        #expect(UIFont.boldSystemFont(ofSize: 1).style.weight == 700)
    }
}
